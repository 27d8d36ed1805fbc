// Runs kernels of the cubins in tests/machine/data on the emulated device, without a host program.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "image/cubin.hpp"
#include "machine/device.hpp"

namespace lanebank::machine {

inline std::vector<std::byte> read_test_file(const std::string& name) {
  std::ifstream file(std::string(LANEBANK_TEST_DATA) + "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  std::vector<char> text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/// A device with one module loaded.
class KernelRunner {
 public:
  explicit KernelRunner(const std::string& cubin_file, unsigned jobs = 1)
      : device({.jobs = jobs, .memory_bytes = 1u << 30},
               {.print = [this](std::string_view text) { printed += text; }}) {
    auto cubin = image::read_cubin(read_test_file(cubin_file));
    EXPECT_TRUE(cubin) << (cubin ? "" : to_string(cubin.error()));
    auto loaded = device.load(std::move(*cubin));
    EXPECT_TRUE(loaded) << (loaded ? "" : to_string(loaded.error()));
    module = *loaded;
  }

  /// `count` zeroed elements in device memory.
  template <class T>
  T* array(std::size_t count) {
    T* data = reinterpret_cast<T*>(device.memory().allocate(count * sizeof(T), MemoryKind::device));
    std::memset(data, 0, count * sizeof(T));
    return data;
  }

  template <class... Arguments>
  LaunchOutcome run(const std::string& kernel, unsigned blocks, unsigned threads, Arguments... arguments) {
    LaunchRequest request;
    request.module = module;
    const image::Function* function = module->cubin.find(kernel);
    EXPECT_NE(function, nullptr) << kernel;
    request.function = static_cast<std::uint32_t>(function - module->cubin.functions.data());
    request.grid[0] = blocks;
    request.block[0] = threads;
    request.parameters.resize(function->parameter_bytes);
    std::size_t n = 0;
    (put(request, function->parameters.at(n++), arguments), ...);
    auto outcome = device.launch(request, {});
    EXPECT_TRUE(outcome) << (outcome ? "" : to_string(outcome.error()));
    return std::move(*outcome);
  }

  std::string printed;
  Device device;
  Module* module = nullptr;

 private:
  template <class T>
  static void put(LaunchRequest& request, const image::Parameter& parameter, T value) {
    ASSERT_EQ(parameter.size_bytes, sizeof value);
    std::memcpy(request.parameters.data() + parameter.offset_bytes, &value, sizeof value);
  }
};

}  // namespace lanebank::machine
