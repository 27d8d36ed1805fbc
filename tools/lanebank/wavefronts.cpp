#include "wavefronts.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <ios>
#include <istream>
#include <ostream>

#include "checks/wavefronts_csv.hpp"
#include "lanebank/bank_model.hpp"

namespace lanebank::tools {
namespace {

constexpr int success = 0, failure = 125;

int report(const Diagnostic& diagnostic, std::ostream& err) {
  err << "lanebank wavefronts: " << to_string(diagnostic) << '\n';
  return failure;
}

Diagnostic unreadable(const std::string& path, int error) {
  return {"csv.unreadable", path, std::string("cannot be read: ") + std::strerror(error),
          "Give a CSV file, or - for standard input."};
}

}  // namespace

int run_wavefronts(const std::string& path, std::istream& input, std::ostream& out, std::ostream& err,
                   unsigned architecture, bool source_page) {
  const ArchitectureRules rules = architecture_rules(architecture);
  if (rules.rules_of != 0 && !rules.measured)
    err << "lanebank wavefronts: note: sm_" << architecture << ": " << rules.source << '\n';
  checks::WavefrontsCsvOptions options;
  options.architecture = architecture;
  options.source_page = source_page;
  std::ifstream file;
  if (path != "-") {
    options.name = path;
    errno = 0;
    file.open(path, std::ios::binary);
    if (!file) return report(unreadable(path, errno != 0 ? errno : EIO), err);
  }
  try {
    errno = 0;
    const Result<void> done = checks::predict_wavefronts(path == "-" ? input : file, out, options);
    out.flush();
    if (!done) return report(done.error(), err);
  } catch (const std::ios_base::failure&) {  // the file buffer throws when read() fails, on a directory for one
    out.flush();
    return report(unreadable(options.name, errno != 0 ? errno : EIO), err);
  }
  if (!out) return report({"csv.unwritable", "standard output", "cannot be written", "Is the disk full?"}, err);
  return success;
}

}  // namespace lanebank::tools
