#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/words.hpp"
#include "picture/svg.hpp"
#include "report/digest.hpp"
#include "report/escape.hpp"
#include "report/html_parts.hpp"
#include "report/ranking.hpp"
#include "report/sha256.hpp"
#include "report/wording.hpp"

namespace lanebank::report {

using findings::LaunchReport;

namespace {

constexpr std::size_t html_name_bytes = 600, most_told = 100;

std::string told(const std::string& text) { return xml(cut(clean(text), html_name_bytes)); }

bool has_something_to_say(const KernelDigest& kernel) {
  return kernel.all_excess > 0 || !kernel.faults.empty() || !kernel.checks.empty() ||
         std::any_of(kernel.lines.begin(), kernel.lines.end(), [](const LineDigest& line) { return !line.modelled; });
}

class HtmlWriter {
 public:
  HtmlWriter(const findings::ProgramReport& report, Sources& sources, const HtmlOptions& options)
      : report_(report), sources_(sources), options_(options), kernels_(digest(report)) {
    for (std::size_t i = 0; i < kernels_.size(); i++)
      if (sections_.size() < options.most_sections && has_something_to_say(kernels_[i])) sections_.push_back(i);
  }

  std::string write() {
    head();
    overview();
    problems();
    bool any_picture = false;
    std::size_t shown = 0;
    for (const std::size_t i : sections_) {
      if (html_.size() > options_.most_bytes) break;
      any_picture = any_picture || kernels_[i].all_excess > 0;
      section(kernels_[i], "k" + std::to_string(i));
      shown++;
    }
    const auto all = static_cast<std::size_t>(std::count_if(kernels_.begin(), kernels_.end(), has_something_to_say));
    if (shown < all)
      html_ += "<p>" + counted(all - shown, "further kernel", "further kernels") +
               " with findings: only in the table.</p>\n";
    foot(any_picture);
    return std::move(html_);
  }

 private:
  void head() {
    std::string command;
    for (const std::string& word : report_.command) command += (command.empty() ? "" : " ") + word;
    const std::string style = html_style();
    std::set<std::string> archs;
    for (const LaunchReport& launch : report_.launches) archs.insert(launch.arch);
    std::string facts;
    for (const std::string& arch : archs) facts += "<span>" + told(arch) + "</span> ";
    facts += "<span>" + counted(report_.launches.size(), "launch", "launches") + "</span>";
    const Tally tally = tally_of(report_);
    html_ = fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
        "http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'sha256-{0}'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>lanebank: {1}</title>\n"
        "<style>{2}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#kernels\">Skip to the kernels</a>\n<header>\n"
        "<h1>lanebank</h1>\n<p><code>{1}</code></p>\n<p class=\"facts\">{3}</p>\n<p class=\"verdict {4}\">{5}{6} (exit "
        "{7})</p>\n"
        "</header>\n<main>\n",
        sha256_base64(style), told(command), style, facts, options_.exit_code == 0 ? "good" : "bad",
        xml(excess_text(report_)), tally.all() == 0 ? "" : "; " + tally_text(tally), options_.exit_code);
  }

  void overview() {
    html_ +=
        "<section aria-labelledby=\"kernels\"><h2 id=\"kernels\">Kernels, most excess first</h2>\n<div "
        "class=\"scroll\" "
        "role=\"region\" tabindex=\"0\" aria-labelledby=\"kernels\"><table><caption>Figures as on Nsight Compute's "
        "source "
        "page, for each launch shape: bars show the ideal and the excess wavefronts</caption>\n<thead><tr>"
        "<th scope=\"col\">Kernel</th><th scope=\"col\">Grid</th><th scope=\"col\">Block</th><th scope=\"col\" "
        "class=\"number\">Launches</th><th scope=\"col\" class=\"number\">Requests</th><th scope=\"col\">Bar</th><th "
        "scope=\"col\" class=\"number\">Wavefronts</th><th scope=\"col\" class=\"number\">Ideal</th><th scope=\"col\" "
        "class=\"number\">Excess</th><th scope=\"col\" class=\"number\">Conflict rate</th></tr></thead>\n<tbody>\n";
    std::uint64_t most = 0;
    for (const KernelDigest& kernel : kernels_) most = std::max(most, kernel.shared.wavefronts);
    std::size_t rows = 0;
    for (; rows < std::min(kernels_.size(), options_.most_kernels) && html_.size() < options_.most_bytes / 2; rows++) {
      const KernelDigest& kernel = kernels_[rows];
      const findings::SharedTotals& sum = kernel.shared;
      const bool has_section = std::find(sections_.begin(), sections_.end(), rows) != sections_.end();
      const std::string name = "<code>" + told(shown_name(kernel.launch->kernel)) + "</code>";
      html_ += fmt::format(
          "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td class=\"number\">{}</td><td "
          "class=\"number\">{}</td><td>{}</td>"
          "<td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number{}\">{}</td><td "
          "class=\"number\">{}</td></tr>\n",
          has_section ? "<a href=\"#k" + std::to_string(rows) + "\">" + name + "</a>" : name,
          extent(kernel.launch->grid), extent(kernel.launch->block), grouped(kernel.launches), grouped(sum.executed),
          html_bar(sum.wavefronts, sum.ideal, most), grouped(sum.wavefronts), grouped(sum.ideal),
          sum.excess > 0 ? " bad" : "", grouped(sum.excess), percent(sum.excess, sum.wavefronts));
    }
    html_ += "</tbody></table></div>\n";
    if (rows < kernels_.size())
      html_ += "<p>" + counted(kernels_.size() - rows, "further launch shape", "further launch shapes") +
               " with less excess are left out.</p>\n";
    html_ += "</section>\n";
  }

  void problems() {
    if (report_.problems.empty()) return;
    html_ += "<section aria-labelledby=\"problems\"><h2 id=\"problems\">Could not be analysed</h2>\n<ul>\n";
    for (std::size_t i = 0; i < std::min(report_.problems.size(), most_told); i++) {
      const Diagnostic& problem = report_.problems[i];
      html_ += "<li><code>" + told(problem.where) + "</code>: " + told(problem.what) + ". " + told(problem.remedy) +
               "</li>\n";
    }
    html_ += "</ul></section>\n";
  }

  void section(const KernelDigest& kernel, const std::string& id) {
    const LaunchReport& launch = *kernel.launch;
    html_ += fmt::format(
        "<section aria-labelledby=\"{0}\"><h2 id=\"{0}\"><code>{1}</code></h2>\n<p class=\"facts\"><span>grid "
        "{2}</span> <span>"
        "block {3}</span> <span>{4} of shared memory</span>{5}{6}</p>\n",
        id, told(shown_name(launch.kernel)), extent(launch.grid), extent(launch.block),
        counted(std::uint64_t{launch.static_shared_bytes} + launch.dynamic_shared_bytes, "byte", "bytes"),
        kernel.launches > 1
            ? " <span>" + grouped(kernel.launches) +
                  (kernel.summed ? " launches with differing figures, summed" : " equal launches, figures of one") +
                  "</span>"
            : "",
        launch.measured ? "" : " <span>access rules: " + told(launch.rules_source) + "</span>");
    for (std::size_t i = 0; i < std::min<std::size_t>(kernel.faults.size(), 10); i++) {
      const findings::FaultReport& fault = *kernel.faults[i];
      html_ += "<p class=\"finding\">Stopped at <code>" + told(place_text({fault.file, fault.line, {}})) +
               "</code>, block " + grouped(fault.block) + ", thread " + grouped(fault.thread) + ": " +
               told(fault.message) + "</p>\n";
    }
    checks(kernel);
    for (const LineDigest& line : kernel.lines)
      if (!line.modelled)
        html_ += "<p>Not modelled: <code>" + told(line.row->sass) + "</code>: " + told(line.row->why) + "</p>\n";
    // Lines with most excess come first.
    const auto in_excess = static_cast<std::size_t>(std::count_if(
        kernel.lines.begin(), kernel.lines.end(), [](const LineDigest& line) { return line.excess > 0; }));
    const std::size_t shown = std::min(in_excess, options_.most_accesses), left = in_excess - shown;
    html_ += html_source(kernel, sources_, id, shown);
    for (std::size_t i = 0; i < shown; i++) html_ += html_access(kernel.lines[i], id + "a" + std::to_string(i));
    if (left > 0)
      html_ += "<p>" + counted(left, "further line", "further lines") + " with less excess: without picture.</p>\n";
    html_ += "</section>\n";
  }

  void checks(const KernelDigest& kernel) {
    for (std::size_t i = 0; i < std::min(kernel.checks.size(), most_told); i++) {
      const findings::CheckReport& check = *kernel.checks[i];
      const std::string where = check.access.line != 0 ? place_text({check.access.file, check.access.line, {}})
                                                       : instruction_text(check.access.address);
      html_ += fmt::format("<p class=\"finding\"><strong>{}</strong> ({}) at <code>{}</code>: {}{}{}</p>\n",
                           findings::info(check.rule).title, findings::spelled(check.severity), told(where),
                           told(check.message), check.count > 1 ? " (" + grouped(check.count) + " times)" : "",
                           check.suggestion ? "<br>Cure: " + told(check.suggestion->text) : "");
    }
    if (kernel.checks.size() > most_told)
      html_ += "<p>and " + grouped(kernel.checks.size() - most_told) + " more</p>\n";
  }

  void foot(bool any_picture) {
    if (any_picture)
      html_ +=
          "<section aria-labelledby=\"legend\"><h2 id=\"legend\">How to read the pictures</h2>\n<div class=\"scroll "
          "legend\" "
          "role=\"region\" "
          "tabindex=\"0\" aria-labelledby=\"legend\">" +
          picture::draw_legend("legend") +
          "</div>\n<p>Point at a cell for its address, bank and lanes; the tables below each picture say the "
          "same.</p></section>\n";
    html_ +=
        "</main>\n<footer>wavefronts: memory_l1_wavefronts_shared; ideal: memory_l1_wavefronts_shared_ideal; excess: "
        "wavefronts - ideal; worst degree: wavefronts that one group of lanes needs for its fullest bank; conflict "
        "rate: excess "
        "/ wavefronts.</footer>\n</body>\n</html>\n";
  }

  const findings::ProgramReport& report_;
  Sources& sources_;
  const HtmlOptions& options_;
  std::vector<KernelDigest> kernels_;
  std::vector<std::size_t> sections_;
  std::string html_;
};

}  // namespace

std::string write_html(const findings::ProgramReport& report, Sources& sources, const HtmlOptions& options) {
  return HtmlWriter(report, sources, options).write();
}

}  // namespace lanebank::report
