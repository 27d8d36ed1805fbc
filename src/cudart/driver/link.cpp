// cuLink*: PTX to a cubin, with the user's own ptxas. Code of several parts would need a linker too.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>

#include "cudart/calls.hpp"
#include "cudart/driver/context.hpp"
#include "cudart/driver/jit_log.hpp"
#include "session/assemble.hpp"

namespace lanebank::cudart::driver {

struct LinkStateTag {
  struct Part {
    int kind;
    std::string bytes;
  };
  std::vector<Part> parts;
  JitLog log;
  std::vector<std::byte> cubin;
};

namespace {

using abi::cudaErrorInvalidValue;

constexpr int input_cubin = 0, input_ptx = 1, input_kinds = 6;

struct States {
  std::mutex mutex;
  std::map<LinkState, std::unique_ptr<LinkStateTag>> all;
};
States& states() {
  static States* const all = new States;
  return *all;
}

Error add(LinkState state, int kind, std::string bytes) {
  std::lock_guard lock(states().mutex);
  if (!states().all.contains(state)) return abi::cudaErrorInvalidResourceHandle;
  if (kind < 0 || kind >= input_kinds) return cudaErrorInvalidValue;
  if (kind > input_ptx || !state->parts.empty()) {
    tell("cuLinkAddData: lanebank links one PTX text or one cubin; compile the parts into one module");
    Process::get().engine().unsupported_call("cuLinkAddData");
    return abi::cudaErrorNotSupported;
  }
  state->parts.push_back({kind, std::move(bytes)});
  return cudaSuccess;
}

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

Error complete(LinkStateTag& state) {
  if (state.parts.empty()) return cudaErrorInvalidValue;
  const LinkStateTag::Part& part = state.parts.front();
  if (part.kind == input_cubin) {
    const auto* first = reinterpret_cast<const std::byte*>(part.bytes.data());
    state.cubin.assign(first, first + part.bytes.size());
    return cudaSuccess;
  }
  const std::size_t target = part.bytes.find(".target");
  const std::string_view line = std::string_view(part.bytes).substr(std::min(target, part.bytes.size()), 40);
  const bool specific = line.substr(0, line.find('\n')).find("90a") != std::string_view::npos;
  const unsigned architecture = Process::get().engine().architecture();
  const auto text = std::string_view(part.bytes).substr(0, part.bytes.find('\0'));
  auto cubin = session::assemble(text, "sm_" + std::to_string(architecture) + (specific ? "a" : ""),
                                 {.search_path = variable("PATH"), .temporary_folder = variable("TMPDIR")});
  if (!cubin) {
    state.log.write(to_string(cubin.error()));
    return abi::cudaErrorInvalidPtx;
  }
  state.cubin = std::move(*cubin);
  state.log.write({});
  return cudaSuccess;
}

}  // namespace

Result cuLinkCreate_v2(unsigned count, JitOption* options, void** values, LinkState* state) {
  return when(Needs::queued, [&]() -> Error {
    if (state == nullptr) return cudaErrorInvalidValue;
    auto made = std::make_unique<LinkStateTag>(LinkStateTag{{}, JitLog(count, options, values), {}});
    std::lock_guard lock(states().mutex);
    *state = made.get();
    states().all[*state] = std::move(made);
    return cudaSuccess;
  });
}

Result cuLinkAddData_v2(LinkState state, int kind, void* data, size_t bytes, const char*, unsigned, JitOption*,
                        void**) {
  return when(Needs::queued, [&]() -> Error {
    if (data == nullptr || bytes == 0) return cudaErrorInvalidValue;
    return add(state, kind, std::string(static_cast<const char*>(data), bytes));
  });
}

Result cuLinkAddFile_v2(LinkState state, int kind, const char* path, unsigned, JitOption*, void**) {
  return when(Needs::queued, [&]() -> Error {
    if (path == nullptr) return cudaErrorInvalidValue;
    std::ifstream file(path, std::ios::binary);
    if (!file) return abi::cudaErrorFileNotFound;
    return add(state, kind, {std::istreambuf_iterator<char>(file), {}});
  });
}

Result cuLinkComplete(LinkState state, void** cubin, size_t* bytes) {
  return when(Needs::queued, [&]() -> Error {
    std::lock_guard lock(states().mutex);
    if (cubin == nullptr) return cudaErrorInvalidValue;
    if (!states().all.contains(state)) return abi::cudaErrorInvalidResourceHandle;
    if (const Error error = complete(*state); error != cudaSuccess) return error;
    *cubin = state->cubin.data();
    if (bytes != nullptr) *bytes = state->cubin.size();
    return cudaSuccess;
  });
}

Result cuLinkDestroy(LinkState state) {
  return when(Needs::queued, [&]() -> Error {
    std::lock_guard lock(states().mutex);
    return states().all.erase(state) == 1 ? cudaSuccess : abi::cudaErrorInvalidResourceHandle;
  });
}

}  // namespace lanebank::cudart::driver
