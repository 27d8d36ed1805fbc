#include "report/junit.hpp"

#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "base/words.hpp"
#include "report/escape.hpp"
#include "report/ranking.hpp"
#include "report/wording.hpp"

namespace lanebank::report {

using findings::Finding;
using findings::Rule;

namespace {

constexpr std::size_t junit_name_bytes = 500, junit_message_bytes = 1000;

/// What is told of one kernel under one rule.
struct TestCase {
  std::vector<const Finding*> told;  ///< the first, in the order of the report
  std::uint64_t failing = 0, all = 0, excess = 0;
};

struct KernelCases {
  std::string_view kernel;
  double seconds = 0;
  std::array<TestCase, static_cast<std::size_t>(Rule::shared_size) + 1> of_rule;
};

class JUnitWriter {
 public:
  JUnitWriter(const findings::ProgramReport& report, const JUnitOptions& options)
      : report_(report), options_(options) {}

  std::string write() {
    collect();
    program_case();
    std::uint64_t left_out = 0;
    for (const KernelCases& kernel : kernels_)
      for (const findings::RuleInfo& rule : findings::all_rules()) {
        const TestCase& test = kernel.of_rule[static_cast<std::size_t>(rule.rule)];
        if (test.all == 0 && rule.rule != Rule::bank_conflict) continue;
        if (tests_ >= options_.most_cases || cases_.size() > options_.most_bytes)
          left_out++;
        else
          kernel_case(kernel, rule, test);
      }
    return text(left_out);
  }

 private:
  bool fails(const Finding& finding) const {
    return options_.fails ? options_.fails(finding) : finding.severity != Severity::note;
  }

  void collect() {
    std::unordered_map<std::string_view, std::size_t> index;  // by name: other shapes of a launch are the same test
    for (const findings::LaunchReport& launch : report_.launches) {
      const auto [at, is_new] = index.try_emplace(launch.kernel, kernels_.size());
      if (is_new) kernels_.push_back({launch.kernel, 0, {}});
      kernels_[at->second].seconds += launch.seconds;
    }
    for (const Finding& finding : report_.findings) {
      const auto [at, is_new] = index.try_emplace(finding.kernel, kernels_.size());
      if (is_new) kernels_.push_back({finding.kernel, 0, {}});
      TestCase& test = kernels_[at->second].of_rule[static_cast<std::size_t>(finding.rule)];
      test.all++;
      test.excess += finding.excess() * finding.evidence.launches;
      if (fails(finding)) test.failing++;
      if (test.told.size() < options_.most_findings) test.told.push_back(&finding);
    }
  }

  void begin_case(std::string_view classname, std::string_view name, double seconds) {
    tests_++;
    cases_ += fmt::format("  <testcase classname=\"{}\" name=\"{}\"", xml(cut(clean(classname), junit_name_bytes)),
                          xml(name));
    if (options_.timing) cases_ += fmt::format(" time=\"{:.3f}\"", seconds);
    cases_ += ">";
  }

  void program_case() {
    begin_case("program", "launches", report_.seconds);
    for (const Diagnostic& problem : report_.problems) {
      errors_++;
      cases_ +=
          fmt::format("\n   <error type=\"{}\" message=\"{}\">{}</error>", xml(problem.id),
                      xml(cut(clean(problem.where + ": " + problem.what), junit_message_bytes)), xml(problem.remedy));
      break;  // a case has one result; the others follow
    }
    if (report_.problems.empty() && report_.exit_code != 0) {
      failures_++;
      cases_ += fmt::format("\n   <failure type=\"program\" message=\"the program ended with {}\"></failure>",
                            report_.exit_code);
    } else if (report_.problems.empty() && report_.launches.empty()) {
      errors_++;
      cases_ += fmt::format("\n   <error type=\"nothing\" message=\"{}\"></error>", xml(excess_text(report_)));
    }
    std::string output;
    for (std::size_t i = 1; i < std::min<std::size_t>(report_.problems.size(), 100); i++)
      output += xml(to_string(report_.problems[i])) + "\n";
    for (std::size_t i = 0; i < std::min<std::size_t>(report_.notes.size(), 100); i++)
      output += xml(report_.notes[i].what) + "\n";
    end_case(output);
  }

  void kernel_case(const KernelCases& kernel, const findings::RuleInfo& rule, const TestCase& test) {
    begin_case(shown_name(std::string(kernel.kernel)), rule.spelled,
               rule.rule == Rule::bank_conflict ? kernel.seconds : 0);
    std::string told, last;
    for (const Finding* finding : test.told) {
      if (where_text(*finding) + finding->message == last) continue;  // as unrolled code has it
      last = where_text(*finding) + finding->message;
      told += xml(cut(clean(where_text(*finding) + ": " + finding->message), junit_message_bytes)) + "\n";
      if (finding->suggestion)
        told += "  cure: " + xml(cut(clean(finding->suggestion->text), junit_message_bytes)) + "\n";
    }
    if (test.all > test.told.size()) told += "and " + grouped(test.all - test.told.size()) + " more\n";
    if (test.failing == 0) {
      end_case(told);
      return;
    }
    failures_++;
    std::string message = test.excess > 0 ? grouped(test.excess) + " excess wavefronts" : std::string(rule.title);
    if (test.all > 1) message += " in " + counted(test.all, "finding", "findings");
    message += ": " + where_text(*test.told.front()) + ": " + test.told.front()->message;
    cases_ += fmt::format("\n   <failure type=\"{}\" message=\"{}\">{}</failure>", rule.spelled,
                          xml(cut(clean(message), junit_message_bytes)), told);
    end_case("");
  }

  void end_case(const std::string& output) {
    if (!output.empty()) cases_ += "\n   <system-out>" + output + "</system-out>";
    cases_ += cases_.ends_with("\">") ? "</testcase>\n" : "\n  </testcase>\n";
  }

  std::string text(std::uint64_t left_out) const {
    std::string name;
    for (const std::string& word : report_.command) name += (name.empty() ? "" : " ") + word;
    const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests_, failures_, errors_);
    std::string result = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lanebank\" {0}>\n"
        " <testsuite name=\"{1}\" {0} skipped=\"0\"",
        counts, xml(cut(clean(name), junit_name_bytes)));
    if (options_.timing) result += fmt::format(" time=\"{:.3f}\"", report_.seconds);
    result += ">\n";
    if (left_out > 0)
      result += fmt::format("  <properties><property name=\"cases-left-out\" value=\"{}\"/></properties>\n", left_out);
    return result + cases_ + " </testsuite>\n</testsuites>\n";
  }

  const findings::ProgramReport& report_;
  const JUnitOptions& options_;
  std::vector<KernelCases> kernels_;
  std::string cases_;
  std::uint64_t tests_ = 0, failures_ = 0, errors_ = 0;
};

}  // namespace

std::string write_junit(const findings::ProgramReport& report, const JUnitOptions& options) {
  return JUnitWriter(report, options).write();
}

}  // namespace lanebank::report
