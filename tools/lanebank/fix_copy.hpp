// A copy of the user's sources that edits are tried on: the user's own files are never written.
#pragma once

#include <string>

#include "base/diagnostic.hpp"

namespace lanebank::tools {

/// A folder of temporary files, gone when this object is.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make(const std::string& parent);
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// Of the working folder where the source lies below it, else of the source's folder; hidden files are left out.
struct SourceCopy {
  TemporaryFolder folder;
  std::string root;    ///< the folder that was copied
  std::string copy;    ///< its copy
  std::string output;  ///< where {output} is
  /// What `path` is in the copy; empty where it lies outside of `root`.
  std::string in_copy(const std::string& path) const;
};

inline constexpr std::size_t copy_limit_files = 20'000;
inline constexpr std::uintmax_t copy_limit_bytes = 256u << 20;

/// Errors "fix.copy": there is more than the limits, or a file cannot be read.
Result<SourceCopy> copy_sources(const std::string& source);

/// The whole file; errors "file.unreadable", "file.unwritable".
Result<std::string> read_text(const std::string& path);
Result<void> write_text(const std::string& path, const std::string& text);

}  // namespace lanebank::tools
