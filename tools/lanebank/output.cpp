#include "output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace lanebank::tools {

Result<std::string> content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file.is_open() || file.bad()) return fail("file.unreadable", path, "cannot be read");
  return text;
}

Result<Output> Output::open(const std::string& path) {
  if (path == "-") return Output(STDOUT_FILENO, "standard output", false);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return fail("output.open", path, std::string("cannot be written: ") + std::strerror(errno),
                "Name a file in a writable folder.");
  return Output(descriptor, path, true);
}

Result<Output> Output::open_or(const std::string& path, Output otherwise) {
  return path.empty() ? Result<Output>(std::move(otherwise)) : open(path);
}

Output Output::nowhere() { return Output(-1, "", false); }

Output Output::standard_error() { return Output(STDERR_FILENO, "standard error", false); }

Output::Output(Output&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      owned_(std::exchange(other.owned_, false)) {}

Output& Output::operator=(Output&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  std::swap(owned_, other.owned_);
  return *this;
}

Output::~Output() {
  if (owned_) ::close(descriptor_);
}

Result<void> Output::write(std::string_view text) {
  if (descriptor_ < 0) return {};
  struct stat status {};
  if (owned_ && ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode) && ::ftruncate(descriptor_, 0) != 0)
    return fail("output.write", path_, std::string("cannot be emptied: ") + std::strerror(errno));
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail("output.write", path_, std::string("cannot be written: ") + std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<ChannelFile> ChannelFile::make(const std::string& folder) {
  std::string pattern = (folder.empty() ? "/tmp" : folder) + "/lanebank-channel-XXXXXX";
  const int descriptor = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor < 0)
    return fail("channel.make", folder.empty() ? "/tmp" : folder,
                std::string("no temporary file can be made: ") + std::strerror(errno),
                "Name a writable folder in TMPDIR.");
  ::close(descriptor);
  return ChannelFile(std::move(pattern));
}

ChannelFile::ChannelFile(ChannelFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}

ChannelFile& ChannelFile::operator=(ChannelFile&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

ChannelFile::~ChannelFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace lanebank::tools
