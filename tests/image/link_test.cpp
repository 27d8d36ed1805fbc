#include <map>

#include "files.hpp"
#include "image/cubin.hpp"

namespace lanebank::image {
namespace {

constexpr std::uint64_t code_address = 0x7f12'3456'7800;
constexpr std::uint64_t initialised_address = 0x7fab'cdef'0100;
constexpr std::uint64_t zeroed_address = 0x7fab'd000'0200;
constexpr std::uint64_t constant_address = 0x7fac'0000'0300;
const std::map<std::string_view, std::uint64_t> runtime_functions = {{"vprintf", 0x7f00'1111'1110},
                                                                     {"__assertfail", 0x7f00'2222'2220},
                                                                     {"malloc", 0x7f00'3333'3330},
                                                                     {"free", 0x7f00'4444'4440}};

Placement placement() {
  return {code_address, initialised_address, zeroed_address, constant_address,
          [](std::string_view name) -> std::optional<std::uint64_t> {
            auto found = runtime_functions.find(name);
            return found == runtime_functions.end() ? std::nullopt : std::optional(found->second);
          }};
}

Linked linked(const Cubin& cubin) {
  Result<Linked> result = link(cubin, placement());
  EXPECT_TRUE(result.has_value()) << to_string(result.error());
  return result ? std::move(*result) : Linked();
}

class Link : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, Link,
                         testing::Values("objects_sm90a.cubin", "objects_rdc_sm90a.cubin", "objects_rdc_sm75.cubin"),
                         [](const auto& test) {
                           return std::string(test.param, std::string_view(test.param).find('.'));
                         });

TEST_P(Link, PointersInVariablesHoldAddresses) {
  Cubin cubin = data_cubin(GetParam());
  Linked image = linked(cubin);
  auto pointer = [&](const char* symbol, std::uint64_t extra = 0) {
    return value_at<std::uint64_t>(image.global_initialised, variable_of(cubin, symbol).offset_bytes + extra);
  };
  std::uint64_t table = initialised_address + variable_of(cubin, "table").offset_bytes;
  EXPECT_EQ(pointer("into_table"), table + 8);
  EXPECT_EQ(pointer("packed", 1), table + 4) << "byte by byte";
  EXPECT_EQ(pointer("into_constant"), constant_address + variable_of(cubin, "coefficients").offset_bytes + 4);
  EXPECT_EQ(value_at<std::uint64_t>(image.constant3, variable_of(cubin, "constant_pointer").offset_bytes), table + 12);
  for (auto [index, word] : {std::pair(0, "hello"), std::pair(1, "world")}) {
    std::uint64_t offset = pointer("words", 8 * index) - initialised_address;
    ASSERT_LE(offset + 6, image.global_initialised.size());
    EXPECT_STREQ(reinterpret_cast<const char*>(image.global_initialised.data() + offset), word);
  }
}

TEST_P(Link, WhatIsNotRelocatedStaysAsItWas) {
  Cubin cubin = data_cubin(GetParam());
  Linked image = linked(cubin);
  EXPECT_EQ(image.code.size(), cubin.code.size());
  ASSERT_EQ(image.constant0.size(), cubin.functions.size());
  ASSERT_EQ(image.constant2.size(), cubin.functions.size());
  for (std::size_t i = 0; i < cubin.functions.size(); ++i) {
    EXPECT_EQ(image.constant0[i], cubin.functions[i].constant0);
    EXPECT_EQ(image.constant2[i], cubin.functions[i].constant2);
  }
  std::uint64_t table = variable_of(cubin, "table").offset_bytes;
  EXPECT_EQ(value_at<std::uint32_t>(image.global_initialised, table + 12), 4u);
}

TEST(LinkWholeProgram, ConstantBank4HoldsTheAddressesOfVariablesAndRuntimeFunctions) {
  Cubin cubin = data_cubin("objects_sm90a.cubin");
  Linked image = linked(cubin);
  std::map<std::string, std::uint64_t> slots;
  for (const Cubin::Relocation& relocation : cubin.relocations)
    if (relocation.section == Cubin::Relocation::Section::constant4)
      slots[cubin.symbol_names[relocation.symbol]] = value_at<std::uint64_t>(image.constant4, relocation.offset_bytes);
  for (const auto& [name, address] : runtime_functions) EXPECT_EQ(slots[std::string(name)], address) << name;
  EXPECT_EQ(slots["counter"], zeroed_address + variable_of(cubin, "counter").offset_bytes);
  EXPECT_EQ(slots["table"], initialised_address + variable_of(cubin, "table").offset_bytes);
  EXPECT_EQ(slots.size() * 8, image.constant4.size());
}

/// Bits of a 128-bit instruction.
std::uint64_t bits(std::span<const std::byte> code, std::size_t offset, unsigned from, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i)
    value |= std::uint64_t(std::to_integer<unsigned>(code[offset + (from + i) / 8]) >> ((from + i) % 8) & 1) << i;
  return value;
}

TEST(LinkRelocatableCode, FunctionPointersHoldCodeAddresses) {
  for (const char* name : {"objects_rdc_sm90a.cubin", "objects_rdc_sm75.cubin"}) {
    Cubin cubin = data_cubin(name);
    Linked image = linked(cubin);
    auto slot = [&](const char* symbol, std::uint64_t index) {
      return value_at<std::uint64_t>(image.global_initialised, variable_of(cubin, symbol).offset_bytes + 8 * index);
    };
    EXPECT_EQ(slot("functions", 0), code_address + function_of(cubin, "_Z6triplei").code_offset_bytes);
    EXPECT_EQ(slot("functions", 1), code_address + function_of(cubin, "_Z6lookupi").code_offset_bytes);
    EXPECT_EQ(slot("_ZTV7Product", 2), code_address + function_of(cubin, "_ZN7Product5valueEi").code_offset_bytes);
  }
}

TEST(LinkRelocatableCode, MovesAndCallsHoldAddresses) {
  struct Built {
    const char* file;
    std::uint32_t call_type;
  };
  for (const Built& built : {Built{"objects_rdc_sm90a.cubin", 0x4b}, Built{"objects_rdc_sm75.cubin", 0x3a}}) {
    SCOPED_TRACE(built.file);
    Cubin cubin = data_cubin(built.file);
    Linked image = linked(cubin);
    std::size_t halves = 0, calls = 0;
    for (const Cubin::Relocation& relocation : cubin.relocations) {
      if (relocation.section != Cubin::Relocation::Section::code) continue;
      const std::string& symbol = cubin.symbol_names[relocation.symbol];
      std::uint64_t at = relocation.offset_bytes;
      std::uint64_t expected = 0;
      if (runtime_functions.contains(symbol)) {
        expected = runtime_functions.at(symbol);
      } else if (const Function* function = cubin.find(symbol)) {
        expected = code_address + function->code_offset_bytes;
      } else {
        const Variable& variable = variable_of(cubin, symbol);
        expected = (variable.is_initialised ? initialised_address : zeroed_address) + variable.offset_bytes;
      }
      expected += std::uint64_t(relocation.addend);
      if (relocation.type == 0x38 || relocation.type == 0x39) {
        EXPECT_EQ(bits(image.code, at, 32, 32), relocation.type == 0x38 ? expected & 0xffffffff : expected >> 32)
            << symbol;
        ++halves;
      } else {
        ASSERT_EQ(relocation.type, built.call_type);
        std::uint64_t target = built.call_type == 0x3a
                                   ? bits(image.code, at, 34, 47) << 2
                                   : bits(image.code, at, 34, 47) << 10 | bits(image.code, at, 16, 8) << 2;
        EXPECT_EQ(target, expected) << symbol;
        ++calls;
      }
    }
    EXPECT_GE(halves, 20u);
    EXPECT_GE(calls, 5u);
  }
}

TEST(LinkErrors, AnUnresolvedSymbolIsNamed) {
  Cubin cubin = data_cubin("objects_sm90a.cubin");
  Placement place = placement();
  place.external = nullptr;
  Result<Linked> result = link(cubin, place);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().id, "cubin.unresolved");
  EXPECT_TRUE(result.error().what.find("malloc") != std::string::npos ||
              result.error().what.find("vprintf") != std::string::npos ||
              result.error().what.find("__assertfail") != std::string::npos ||
              result.error().what.find("free") != std::string::npos)
      << result.error().what;
}

TEST(LinkErrors, PointersToConstantsNeedTheirCopy) {
  Placement place = placement();
  place.constant3_address = 0;
  Result<Linked> result = link(data_cubin("objects_sm90a.cubin"), place);
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().what.find("coefficients"), std::string::npos) << result.error().what;
}

TEST(LinkErrors, TypesThatAreNotSupportedAreNamedWithTheirSymbol) {
  Cubin cubin = data_cubin("objects_sm90a.cubin");
  ASSERT_FALSE(cubin.relocations.empty());
  cubin.relocations.resize(1);
  cubin.relocations[0].type = 0x18;
  Result<Linked> known = link(cubin, placement());
  ASSERT_FALSE(known.has_value());
  EXPECT_EQ(known.error().id, "cubin.relocation");
  EXPECT_NE(known.error().what.find("R_CUDA_CONST_FIELD19_28"), std::string::npos);
  EXPECT_NE(known.error().what.find(cubin.symbol_names[cubin.relocations[0].symbol]), std::string::npos);
  cubin.relocations[0].type = 0x1234;
  Result<Linked> unknown = link(cubin, placement());
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().what.find("4660"), std::string::npos);
}

TEST(LinkErrors, PlacesOutsideTheirSectionAreErrors) {
  Cubin cubin = data_cubin("objects_sm90a.cubin");
  cubin.relocations.resize(1);
  cubin.relocations[0].offset_bytes = UINT64_MAX - 2;
  EXPECT_EQ(link(cubin, placement()).error().id, "cubin.relocation");
}

TEST(LinkAddends, RelAddsToTheFieldAndRelaOverwritesIt) {
  Cubin cubin;
  cubin.symbol_names = {""};
  cubin.global_initialised.assign(16, std::byte{0});
  put_at<std::uint64_t>(cubin.global_initialised, 8, 5);
  Cubin::Relocation relocation;
  relocation.section = Cubin::Relocation::Section::global_initialised;
  relocation.offset_bytes = 8;
  relocation.type = 2;
  relocation.target = Cubin::Relocation::Target::absolute;
  relocation.target_offset_bytes = 0x1'0000'0000;
  for (bool explicit_addend : {false, true}) {
    relocation.explicit_addend = explicit_addend;
    cubin.relocations = {relocation};
    EXPECT_EQ(value_at<std::uint64_t>(linked(cubin).global_initialised, 8),
              explicit_addend ? 0x1'0000'0000u : 0x1'0000'0005u);
  }
}

}  // namespace
}  // namespace lanebank::image
