// Where a child's output goes.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace lanebank::tools {

/// One of our descriptors goes to a file while this object lives; children inherit it.
class Redirection {
 public:
  Redirection(int descriptor, const std::string& path) : descriptor_(descriptor), saved_(::dup(descriptor)) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return;
    ::dup2(file, descriptor_);
    ::close(file);
  }
  ~Redirection() {
    if (saved_ < 0) return;
    ::dup2(saved_, descriptor_);
    ::close(saved_);
  }
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;

 private:
  int descriptor_, saved_;
};

}  // namespace lanebank::tools
