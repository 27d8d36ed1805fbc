// The images beside the tests (data/remake.sh says how they were made).
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "image/cubin.hpp"

namespace lanebank::image {

inline std::string data_text(const std::string& name) {
  std::ifstream file(std::string(LANEBANK_TEST_DATA "/") + name, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << "no file " << name << " in " << LANEBANK_TEST_DATA;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::byte> data_bytes(const std::string& name) {
  std::string text = data_text(name);
  auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline Cubin data_cubin(const std::string& name, std::string_view ptx = {}) {
  Result<Cubin> cubin = read_cubin(data_bytes(name), ptx);
  EXPECT_TRUE(cubin.has_value()) << name << ": " << to_string(cubin.error());
  return cubin ? std::move(*cubin) : Cubin();
}

inline const Function& function_of(const Cubin& cubin, std::string_view symbol) {
  static const Function missing;
  const Function* function = cubin.find(symbol);
  EXPECT_NE(function, nullptr) << symbol;
  return function == nullptr ? missing : *function;
}

inline const Variable& variable_of(const Cubin& cubin, std::string_view symbol) {
  static const Variable missing;
  for (const Variable& variable : cubin.variables)
    if (variable.symbol == symbol) return variable;
  ADD_FAILURE() << "no variable " << symbol;
  return missing;
}

template <class T>
T value_at(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  EXPECT_LE(offset + sizeof(T), bytes.size());
  if (offset + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <class T>
void put_at(std::vector<std::byte>& bytes, std::size_t offset, T value) {
  ASSERT_LE(offset + sizeof(T), bytes.size());
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

}  // namespace lanebank::image
