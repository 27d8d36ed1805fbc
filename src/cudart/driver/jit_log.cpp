#include "cudart/driver/jit_log.hpp"

#include <algorithm>

namespace lanebank::cudart::driver {

JitLog::JitLog(unsigned count, const JitOption* options, void** values) {
  if (options == nullptr || values == nullptr) return;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_INFO_LOG_BUFFER) info_.text = static_cast<char*>(values[i]);
    if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) info_.size = &values[i];
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) error_.text = static_cast<char*>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) error_.size = &values[i];
  }
}

void JitLog::write(std::string_view error) const {
  fill(info_, {});
  fill(error_, error);
}

void JitLog::fill(const Buffer& buffer, std::string_view text) {
  if (buffer.size == nullptr) return;
  const auto room = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(*buffer.size));
  std::size_t length = 0;
  if (buffer.text != nullptr && room != 0) {
    length = std::min<std::size_t>(text.size(), room - 1);
    std::copy_n(text.data(), length, buffer.text);
    buffer.text[length] = '\0';
  }
  *buffer.size = reinterpret_cast<void*>(length);
}

}  // namespace lanebank::cudart::driver
