#include "report/markdown.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "report/digest.hpp"
#include "report/escape.hpp"
#include "report/ranking.hpp"
#include "report/wording.hpp"

namespace lanebank::report {

using findings::Finding;

namespace {

constexpr std::size_t markdown_cell_bytes = 160, markdown_sentence_bytes = 1000;

class MarkdownWriter {
 public:
  MarkdownWriter(const findings::ProgramReport& report, const MarkdownOptions& options)
      : report_(report), options_(options) {}

  std::string write() {
    std::string command;
    for (const std::string& word : report_.command) command += (command.empty() ? "" : " ") + word;
    const Tally all = tally_of(report_);
    text_ = "### lanebank: " + std::string(options_.exit_code == 0 ? "passed" : "failed") + "\n\n" +
            markdown_code(cut(command, markdown_cell_bytes)) + ": " + excess_text(report_);
    if (all.all() > 0) text_ += "; " + tally_text(all);
    text_ += " (exit " + std::to_string(options_.exit_code) + ")\n";
    problems();
    kernels();
    findings();
    return std::move(text_);
  }

 private:
  /// Room for what says how much is left out.
  bool fits(const std::string& part) const { return text_.size() + part.size() + 300 <= options_.most_characters; }

  void problems() {
    std::size_t left = 0;
    std::string part;
    for (const Diagnostic& problem : report_.problems) {
      const std::string line = "- **cannot analyse** " +
                               markdown(cut(clean(problem.where + ": " + problem.what), markdown_sentence_bytes)) +
                               " " + markdown(cut(clean(problem.remedy), markdown_sentence_bytes)) + "\n";
      if (left > 0 || part.size() + line.size() > options_.most_characters / 4)
        left++;
      else
        part += line;
    }
    if (left > 0) part += "- and " + grouped(left) + " more\n";
    if (!part.empty() && fits(part)) text_ += "\n" + part;
  }

  void kernels() {
    std::vector<KernelDigest> digests = digest(report_);
    std::erase_if(digests,
                  [](const KernelDigest& kernel) { return kernel.shared.executed == 0 && kernel.faults.empty(); });
    if (digests.empty()) return;
    table(
        "| kernel | launches | requests | wavefronts | ideal | excess | conflict rate |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        digests.size(), options_.most_kernels, "kernel", "kernels", [&](std::size_t i) {
          const KernelDigest& kernel = digests[i];
          const findings::SharedTotals& sum = kernel.shared;
          return "| " + markdown_code(cut(clean(shown_name(kernel.launch->kernel)), markdown_cell_bytes)) + " " +
                 extent(kernel.launch->grid) + " of " + extent(kernel.launch->block) + " | " +
                 grouped(kernel.launches) + (kernel.summed || kernel.launches == 1 ? "" : ", each") + " | " +
                 grouped(sum.executed) + " | " + grouped(sum.wavefronts) + " | " + grouped(sum.ideal) + " | " +
                 (sum.excess > 0 ? "**" + grouped(sum.excess) + "**" : "0") + " | " +
                 percent(sum.excess, sum.wavefronts) + " |\n";
        });
  }

  void findings() {
    const std::vector<FindingGroup> worst = worst_groups(report_, options_.most_lines);
    if (worst.empty()) return;
    std::uint64_t told = 0;
    for (const FindingGroup& group : worst) told += group.findings;
    table("| | where | kernel | what | array | excess |\n| --- | --- | --- | --- | --- | ---: |\n",
          worst.size() + report_.findings.size() - told, worst.size(), "finding", "findings", [&](std::size_t i) {
            const Finding& finding = *worst[i].first;
            return "| " + std::string(findings::spelled(finding.severity)) + " | " +
                   markdown_code(cut(clean(where_text(finding)), markdown_cell_bytes)) + " | " +
                   markdown_code(cut(clean(short_name(finding.kernel)), markdown_cell_bytes)) + " | " +
                   std::string(findings::info(finding.rule).title) +
                   (worst[i].findings > 1 ? ", " + grouped(worst[i].findings) + " times" : "") + " | " +
                   (finding.evidence.array.empty()
                        ? ""
                        : markdown_code(cut(clean(finding.evidence.array), markdown_cell_bytes))) +
                   " | " + (worst[i].excess > 0 ? grouped(worst[i].excess) : "") + " |\n";
          });
    const std::string head = "\n<details><summary>Reasons and cures</summary>\n\n", tail = "\n</details>\n";
    if (!fits(head + tail)) return;
    text_ += head;
    for (const FindingGroup& group : worst) {
      const Finding* finding = group.first;
      std::string part = "- " + markdown_code(cut(clean(where_text(*finding)), markdown_cell_bytes)) + " in " +
                         markdown_code(cut(clean(shown_name(finding->kernel)), markdown_cell_bytes)) + ": " +
                         markdown(cut(clean(finding->message), markdown_sentence_bytes)) + "\n";
      if (finding->suggestion)
        part += "  - cure: " + markdown(cut(clean(finding->suggestion->text), markdown_sentence_bytes)) + "\n";
      if (!fits(part + tail)) break;
      text_ += part;
    }
    text_ += tail;
  }

  /// A table's first `most` rows, as far as they fit, and how many of `all` are left out.
  template <class Row>
  void table(const std::string& head, std::size_t all, std::size_t most, const char* one, const char* many,
             const Row& row) {
    if (!fits(head)) return;
    text_ += "\n" + head;
    std::size_t shown = 0;
    for (; shown < std::min(all, most); shown++) {
      const std::string line = row(shown);
      if (!fits(line)) break;
      text_ += line;
    }
    if (shown < all) text_ += "\nand " + counted(all - shown, one, many) + " more\n";
  }

  const findings::ProgramReport& report_;
  const MarkdownOptions& options_;
  std::string text_;
};

}  // namespace

std::string write_markdown(const findings::ProgramReport& report, const MarkdownOptions& options) {
  return MarkdownWriter(report, options).write();
}

}  // namespace lanebank::report
