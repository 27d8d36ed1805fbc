#include "fix_copy.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "observed_run.hpp"

namespace lanebank::tools {
namespace fs = std::filesystem;
namespace {

bool lies_below(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != ".." && relative != ".";
}

Result<void> copy_tree(const fs::path& from, const fs::path& to) {
  std::error_code error;
  std::size_t files = 0;
  std::uintmax_t bytes = 0;
  fs::create_directories(to, error);
  for (fs::recursive_directory_iterator at(from, fs::directory_options::skip_permission_denied, error), end; at != end;
       at.increment(error)) {
    if (error) break;
    const fs::path target = to / at->path().lexically_relative(from);
    if (at->path().filename().string().starts_with('.')) {
      if (at->is_directory(error)) at.disable_recursion_pending();
      continue;
    }
    if (at->is_directory(error)) {
      if (fs::equivalent(at->path(), to, error))
        at.disable_recursion_pending();
      else
        fs::create_directories(target, error);
      continue;
    }
    if (!at->is_regular_file(error)) continue;
    bytes += at->file_size(error);
    if (++files > copy_limit_files || bytes > copy_limit_bytes)
      return fail("fix.copy", from.string(),
                  "holds more than " + std::to_string(copy_limit_files) + " files or " +
                      std::to_string(copy_limit_bytes >> 20) + " MiB, too much to copy for a build",
                  "Run lanebank in a folder that holds the sources only.");
    fs::copy_file(at->path(), target, fs::copy_options::overwrite_existing, error);
    if (error) return fail("fix.copy", at->path().string(), "cannot be copied: " + error.message());
  }
  if (error) return fail("fix.copy", from.string(), "cannot be copied: " + error.message());
  return {};
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make(const std::string& parent) {
  std::string path = (parent.empty() ? std::string("/tmp") : parent) + "/lanebank-fix.XXXXXX";
  if (::mkdtemp(path.data()) == nullptr)
    return fail("fix.copy", path, "no folder for temporary files can be made", "Set TMPDIR to a folder with room.");
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string SourceCopy::in_copy(const std::string& path) const {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  return lies_below(whole, root) ? (fs::path(copy) / whole.lexically_relative(root)).string() : std::string();
}

Result<SourceCopy> copy_sources(const std::string& source) {
  std::error_code error;
  const fs::path file = fs::canonical(source, error);
  if (error) return fail("fix.copy", source, "cannot be found: " + error.message(), "Name it with --source.");
  const fs::path here = fs::canonical(fs::current_path(error), error);
  const fs::path root = lies_below(file, here) ? here : file.parent_path();
  auto folder = TemporaryFolder::make(variable_or_empty("TMPDIR"));
  if (!folder) return tl::unexpected(folder.error());
  const std::string copy = folder->path() + "/source", output = folder->path() + "/program";
  if (auto copied = copy_tree(root, copy); !copied) return tl::unexpected(copied.error());
  return SourceCopy{std::move(*folder), root.string(), copy, output};
}

Result<std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file.is_open() || file.bad()) return fail("file.unreadable", path, "cannot be read");
  return text;
}

Result<void> write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return fail("file.unwritable", path, "cannot be written");
  return {};
}

}  // namespace lanebank::tools
