#include "machine/externals.hpp"

#include <atomic>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>

#include "machine/lanes/fault.hpp"
#include "machine/launch_state.hpp"
#include "machine/scheduler.hpp"

namespace lanebank::machine {

namespace {

enum External : unsigned { vprintf_, assertfail_, malloc_, free_, set_conditional_, external_count };
constexpr std::string_view names[external_count] = {"vprintf", "__assertfail", "malloc", "free",
                                                    "cudaGraphSetConditional"};
constexpr unsigned entry_bytes = 16;  ///< distance of two functions in the external window

std::uint64_t pair(Warp& w, unsigned number, unsigned lane) {
  return w.row(number)[lane] | std::uint64_t{w.row(number + 1)[lane]} << 32;
}

/// Copies bytes from where a generic address of a lane points; false when it points nowhere.
bool read_generic(const Warp& w, unsigned lane, std::uint64_t address, void* to, unsigned bytes) {
  const std::uint32_t high = static_cast<std::uint32_t>(address >> 32), low = static_cast<std::uint32_t>(address);
  auto* out = static_cast<std::uint8_t*>(to);
  if (high == local_window_high) {
    if (low > w.local_bytes || w.local_bytes - low < bytes) return false;
    for (unsigned n = 0; n < bytes; ++n) out[n] = w.local[std::size_t{(low + n) / 4} * 128 + 4 * lane + (low + n) % 4];
    return true;
  }
  if (high == shared_window_high) {
    const std::uint32_t offset = low - w.shared_window;
    if (offset > w.shared_bytes || w.shared_bytes - offset < bytes) return false;
    std::memcpy(out, w.shared + offset, bytes);
    return true;
  }
  const auto allocation = w.launch->device->memory().find(address);
  if (!allocation || !allocation->contains(address, bytes)) return false;
  std::memcpy(out, reinterpret_cast<const void*>(address), bytes);
  return true;
}

/// The condition of a handle; nullptr when it is none or its graph does not run.
Condition* find_condition(const Warp& w, std::uint64_t handle) {
  const auto allocation = w.launch->device->memory().find(handle);
  if (!allocation || allocation->address != handle || allocation->bytes != sizeof(Condition) ||
      allocation->kind != MemoryKind::module)
    return nullptr;
  auto* condition = reinterpret_cast<Condition*>(handle);
  return condition->mark == Condition::is_one && condition->launches != 0 ? condition : nullptr;
}

std::string read_string(const Warp& w, unsigned lane, std::uint64_t address) {
  std::string text;
  char c = 0;
  while (text.size() < (1u << 16) && read_generic(w, lane, address + text.size(), &c, 1) && c != 0) text += c;
  return text;
}

/// Values of a device printf, one after the other, each aligned to its size.
class Arguments {
 public:
  Arguments(const Warp& w, unsigned lane, std::uint64_t address) : w_(w), lane_(lane), address_(address) {}
  template <class T>
  T next() {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    read_generic(w_, lane_, address_ + offset_, &value, sizeof value);
    offset_ += sizeof(T);
    return value;
  }

 private:
  const Warp& w_;
  unsigned lane_;
  std::uint64_t address_, offset_ = 0;
};

template <class T>
void append(std::string& out, const std::string& specification, T value) {
  char buffer[512];
  const int length = std::snprintf(buffer, sizeof buffer, specification.c_str(), value);
  if (length < 0) return;
  if (static_cast<std::size_t>(length) < sizeof buffer) {
    out.append(buffer, static_cast<std::size_t>(length));
    return;
  }
  std::string longer(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(longer.data(), longer.size(), specification.c_str(), value);
  out.append(longer.data(), static_cast<std::size_t>(length));
}

/// The text of a device printf call of one lane.
std::string format(const Warp& w, unsigned lane, const std::string& pattern, Arguments arguments) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      out += pattern[i];
      continue;
    }
    std::string specification = "%";
    unsigned longs = 0;
    char conversion = 0;
    for (++i; i < pattern.size() && conversion == 0; ++i) {
      const char c = pattern[i];
      if (c == '*') {
        specification += std::to_string(arguments.next<int>());
      } else if (c == 'l' || c == 'j' || c == 'z' || c == 't') {
        longs += 1;
      } else if (std::strchr("h-+ #0123456789.", c) != nullptr) {
        specification += c;
      } else {
        conversion = c;
      }
    }
    --i;
    switch (conversion) {
      case '%':
        out += '%';
        break;
      case 'd':
      case 'i':
        if (longs != 0)
          append(out, specification + "ll" + conversion, arguments.next<long long>());
        else
          append(out, specification + conversion, arguments.next<int>());
        break;
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        if (longs != 0)
          append(out, specification + "ll" + conversion, arguments.next<unsigned long long>());
        else
          append(out, specification + conversion, arguments.next<unsigned>());
        break;
      case 'c':
        append(out, specification + conversion, arguments.next<int>());
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        append(out, specification + conversion, arguments.next<double>());
        break;
      case 'p':
        append(out, specification + conversion, reinterpret_cast<void*>(arguments.next<std::uint64_t>()));
        break;
      case 's':
        append(out, specification + conversion, read_string(w, lane, arguments.next<std::uint64_t>()).c_str());
        break;
      default:
        out += specification + conversion;
    }
  }
  return out;
}

void print(const Warp& w, const std::string& text) {
  LaunchState& launch = const_cast<LaunchState&>(*w.launch);
  std::lock_guard lock(launch.fault_mutex);
  if (!launch.silent && launch.device->services().print) launch.device->services().print(text);
}

void thread_place(const Warp& w, unsigned lane, std::string& text) {
  const std::uint32_t thread = w.thread_base + lane, *b = w.launch->block, *at = w.block->index;
  text += "block: [" + std::to_string(at[0]) + "," + std::to_string(at[1]) + "," + std::to_string(at[2]) +
          "], thread: [" + std::to_string(thread % b[0]) + "," + std::to_string(thread / b[0] % b[1]) + "," +
          std::to_string(thread / b[0] / b[1]) + "]";
}

}  // namespace

std::optional<std::uint64_t> external_address(std::string_view symbol) {
  for (unsigned n = 0; n < external_count; ++n)
    if (names[n] == symbol) return external_window + entry_bytes * n;
  return std::nullopt;
}

const Operation* call_external(Warp& w, const Operation* op, unsigned offset) {
  const std::uint32_t mask = w.active;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
    switch (offset / entry_bytes) {
      case vprintf_: {
        const std::string text =
            format(w, lane, read_string(w, lane, pair(w, 4, lane)), Arguments(w, lane, pair(w, 6, lane)));
        print(w, text);
        w.row(4)[lane] = static_cast<std::uint32_t>(text.size());
        break;
      }
      case assertfail_: {
        std::string text = read_string(w, lane, pair(w, 6, lane)) + ":" + std::to_string(w.row(8)[lane]) + ": " +
                           read_string(w, lane, pair(w, 10, lane)) + ": ";
        thread_place(w, lane, text);
        text += " Assertion `" + read_string(w, lane, pair(w, 4, lane)) + "` failed.";
        print(w, text + "\n");
        return raise_fault(w, op, Fault::Kind::assertion, lane, 0, text);
      }
      case malloc_: {
        const std::uint64_t bytes = pair(w, 4, lane);
        Device& device = *w.launch->device;
        const std::uint64_t address = bytes > device.heap_bytes ? 0 : device.memory().allocate(bytes, MemoryKind::heap);
        w.row(4)[lane] = static_cast<std::uint32_t>(address);
        w.row(5)[lane] = static_cast<std::uint32_t>(address >> 32);
        ++w.stores;
        break;
      }
      case free_: {
        const std::uint64_t address = pair(w, 4, lane);
        if (address != 0 && !w.launch->device->memory().free(address))
          return raise_fault(w, op, Fault::Kind::illegal_address, lane, address,
                             "free of an address that malloc did not give");
        for (Worker::Hit& hit : w.worker->hits) hit = {};
        ++w.stores;
        break;
      }
      case set_conditional_: {
        const std::uint64_t handle = pair(w, 4, lane);
        Condition* condition = find_condition(w, handle);
        if (condition == nullptr)
          return raise_fault(w, op, Fault::Kind::illegal_address, lane, handle,
                             "cudaGraphSetConditional of a handle that no running graph has");
        std::atomic_ref(condition->value).store(w.row(6)[lane], std::memory_order_relaxed);
        break;
      }
      default:
        return raise_fault(w, op, Fault::Kind::invalid_pc, lane, external_window + offset,
                           "a call of a device function that lanebank does not have");
    }
  }
  // All lanes of the split come from one call and return to one place.
  const unsigned lane = static_cast<unsigned>(std::countr_zero(mask));
  const std::uint64_t back = pair(w, 20, lane);
  const Operation* next = w.launch->program->at(back);
  if (next == nullptr)
    return raise_fault(w, op, Fault::Kind::invalid_pc, lane, back, "a call returns to an address that holds no code");
  return next;
}

}  // namespace lanebank::machine
