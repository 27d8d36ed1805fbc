// Files that results go to: opened before the program runs, so that a wrong path costs nothing; and files that are read.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace lanebank::tools {

/// All of a file.
Result<std::string> content_of(const std::string& path);

class Output {
 public:
  /// "-" is standard output. A file keeps its content until `write`.
  static Result<Output> open(const std::string& path);
  /// `otherwise` where no path is given.
  static Result<Output> open_or(const std::string& path, Output otherwise);
  static Output standard_error();
  /// Takes everything and keeps nothing.
  static Output nowhere();
  Output(Output&& other) noexcept;
  Output& operator=(Output&& other) noexcept;
  ~Output();

  /// Replaces the file's content.
  Result<void> write(std::string_view text);
  int descriptor() const { return descriptor_; }

 private:
  Output(int descriptor, std::string path, bool owned)
      : descriptor_(descriptor), path_(std::move(path)), owned_(owned) {}
  int descriptor_ = -1;
  std::string path_;
  bool owned_ = false;
};

/// A file for the channel, gone when this object is.
class ChannelFile {
 public:
  static Result<ChannelFile> make(const std::string& folder);
  ChannelFile(ChannelFile&& other) noexcept;
  ChannelFile& operator=(ChannelFile&& other) noexcept;
  ~ChannelFile();
  const std::string& path() const { return path_; }

 private:
  explicit ChannelFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace lanebank::tools
