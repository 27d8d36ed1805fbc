#include "installation.hpp"

#include <filesystem>

namespace lanebank::tools {

namespace fs = std::filesystem;

Result<Installation> find_installation(const std::string& executable) {
  constexpr const char* shim = "liblanebank_preload.so";
  std::error_code error;
  const fs::path folder = fs::canonical(executable, error).parent_path();
  if (error)
    return fail("installation.missing", executable, "cannot be found: " + error.message(),
                "Was lanebank replaced meanwhile?");
  for (const char* place : {"../lib/lanebank", "../lib64/lanebank", "../lib/x86_64-linux-gnu/lanebank", "../lib"}) {
    const fs::path candidate = (folder / place / shim).lexically_normal();
    if (!fs::is_regular_file(candidate, error)) continue;
    Installation found;
    found.shim = candidate.string();
    if (found.shim.find_first_of(" :") != std::string::npos)
      return fail("installation.path", found.shim, "lies on a path with blanks or colons, which LD_PRELOAD cannot name",
                  "Move lanebank to a folder without them.");
    const fs::path stubs = candidate.parent_path() / "stubs";
    if (fs::is_directory(stubs, error)) found.stub_folder = stubs.string();
    return found;
  }
  return fail("installation.missing", shim, "is not beside the executable (" + folder.string() + "/../lib)",
              "Build or install lanebank as a whole.");
}

}  // namespace lanebank::tools
