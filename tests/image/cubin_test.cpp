#include "image/cubin.hpp"

#include "files.hpp"

namespace lanebank::image {
namespace {

struct Built {
  const char* file;
  unsigned architecture;
  std::uint32_t parameter_base_bytes;
};
constexpr Built arrays_builds[] = {{"arrays_sm75.cubin", 75, 0x160},
                                   {"arrays_sm90.cubin", 90, 0x210},
                                   {"arrays_rdc_sm90.cubin", 90, 0x210},
                                   {"arrays_cuda12_sm90.cubin", 90, 0x210}};

TEST(Cubin, KernelsHaveTheirLaunchAttributes) {
  for (const Built& built : arrays_builds) {
    SCOPED_TRACE(built.file);
    Cubin cubin = data_cubin(built.file);
    EXPECT_EQ(cubin.architecture, built.architecture);
    const Function& many = function_of(cubin, "_Z4manyPKfPfi");
    EXPECT_TRUE(many.kernel);
    EXPECT_EQ(many.parameter_base_bytes, built.parameter_base_bytes);
    EXPECT_EQ(many.parameter_bytes, 20u);
    ASSERT_EQ(many.parameters.size(), 3u);
    EXPECT_EQ(many.parameters[1].offset_bytes, 8u);
    EXPECT_EQ(many.parameters[1].size_bytes, 8u);
    EXPECT_EQ(many.parameters[2].offset_bytes, 16u);
    EXPECT_EQ(many.parameters[2].size_bytes, 4u);
    EXPECT_EQ(many.constant0.size(), built.parameter_base_bytes + 20);
    EXPECT_EQ(many.max_threads_per_block, 128u);
    EXPECT_EQ(many.barriers, 1u);
    EXPECT_GE(many.registers, 8u);
    EXPECT_LE(many.registers, 64u);
    EXPECT_EQ(function_of(cubin, "_Z8one_tilePKfPf").static_shared_bytes, 32u * 33 * 4);
    const Function& none = function_of(cubin, "_Z4nonePf");
    EXPECT_EQ(none.static_shared_bytes, 0u);
    EXPECT_EQ(none.barriers, 0u);
    EXPECT_EQ(none.max_threads_per_block, 0u);
  }
}

TEST(Cubin, CodeHoldsEveryFunctionAtAMultipleOf128) {
  for (const char* name :
       {"arrays_sm75.cubin", "arrays_rdc_sm90.cubin", "objects_sm90a.cubin", "objects_rdc_sm75.cubin"}) {
    SCOPED_TRACE(name);
    Cubin cubin = data_cubin(name);
    std::uint64_t end = 0;
    for (const Function& function : cubin.functions) {
      EXPECT_EQ(function.code_offset_bytes % 128, 0u);
      EXPECT_GE(function.code_offset_bytes, end);
      EXPECT_GT(function.code_bytes, 0u);
      EXPECT_EQ(function.code_bytes % 16, 0u);
      end = std::uint64_t(function.code_offset_bytes) + function.code_bytes;
    }
    EXPECT_EQ(end, cubin.code.size());
  }
}

TEST(Cubin, DeviceFunctionsOfRelocatableCodeAreFunctionsThatAreNoKernels) {
  Cubin cubin = data_cubin("objects_rdc_sm90a.cubin");
  for (const char* symbol : {"_Z6triplei", "_Z6lookupi", "_ZN7Product5valueEi", "_ZN10Difference5valueEi"})
    EXPECT_FALSE(function_of(cubin, symbol).kernel) << symbol;
  EXPECT_TRUE(function_of(cubin, "_Z5callsPii").kernel);
  EXPECT_EQ(data_cubin("objects_sm90a.cubin").find("_Z6triplei"), nullptr) << "whole programs keep them in the kernel";
}

TEST(Cubin, ParametersBeyondFourKilobytesAreFound) {
  for (const char* name : {"objects_sm90a.cubin", "objects_rdc_sm75.cubin"}) {
    Cubin cubin = data_cubin(name);
    const Function& kernel = function_of(cubin, "_Z15large_parameter5LargecdPi");
    ASSERT_EQ(kernel.parameters.size(), 4u);
    EXPECT_EQ(kernel.parameters[0].size_bytes, 8000u);
    EXPECT_EQ(kernel.parameters[1].offset_bytes, 8000u);
    EXPECT_EQ(kernel.parameters[1].size_bytes, 1u);
    EXPECT_EQ(kernel.parameters[3].offset_bytes, 8016u);
    EXPECT_EQ(kernel.parameter_bytes, 8024u);
    EXPECT_EQ(kernel.constant0.size(), kernel.parameter_base_bytes + kernel.parameter_bytes);
  }
}

TEST(Cubin, ClusterSizeAndArchitectureSpecificTargetAreRead) {
  Cubin cubin = data_cubin("objects_sm90a.cubin");
  EXPECT_TRUE(cubin.architecture_specific);
  EXPECT_FALSE(data_cubin("arrays_sm90.cubin").architecture_specific);
  const Function& clustered = function_of(cubin, "_Z9clusteredPi");
  EXPECT_EQ(clustered.required_cluster[0], 2u);
  EXPECT_EQ(clustered.required_cluster[1], 1u);
  EXPECT_EQ(clustered.required_cluster[2], 1u);
  EXPECT_EQ(function_of(cubin, "_Z5callsPii").required_cluster[0], 0u);
}

TEST(Cubin, StackOfKernelsThatCallIsRead) {
  Cubin cubin = data_cubin("objects_sm90a.cubin");
  EXPECT_EQ(function_of(cubin, "_Z6printsPii").frame_bytes, 8u);
  EXPECT_EQ(function_of(cubin, "_Z6printsPii").stack_bytes, 8u);
}

TEST(Cubin, JumpTablesOfSwitchesAreCodeOffsets) {
  for (const char* name : {"objects_sm90a.cubin", "objects_rdc_sm90a.cubin", "objects_rdc_sm75.cubin"}) {
    Cubin cubin = data_cubin(name);
    const Function& kernel = function_of(cubin, "_Z8switchesPii");
    ASSERT_GE(kernel.constant2.size(), 9u * 4) << name;
    std::size_t targets = 0;
    for (std::size_t at = 0; at < kernel.constant2.size(); at += 4) {
      auto offset = value_at<std::uint32_t>(kernel.constant2, at);
      EXPECT_LT(offset, kernel.code_bytes);
      targets += offset >= 16 && offset % 16 == 0;
    }
    EXPECT_GE(targets, 9u);
  }
}

TEST(Cubin, VariablesHaveTheirSpaceSizeAndContent) {
  for (const char* name : {"objects_sm90a.cubin", "objects_rdc_sm90a.cubin", "objects_rdc_sm75.cubin"}) {
    SCOPED_TRACE(name);
    Cubin cubin = data_cubin(name);
    const Variable& table = variable_of(cubin, "table");
    EXPECT_EQ(table.space, Variable::Space::global);
    EXPECT_EQ(table.size_bytes, 16u);
    EXPECT_TRUE(table.is_initialised);
    for (std::uint32_t i = 0; i < 4; ++i)
      EXPECT_EQ(value_at<std::uint32_t>(cubin.global_initialised, table.offset_bytes + 4 * i), i + 1);
    const Variable& counter = variable_of(cubin, "counter");
    EXPECT_FALSE(counter.is_initialised);
    EXPECT_LE(counter.offset_bytes + 4, cubin.global_zeroed_bytes);
    const Variable& coefficients = variable_of(cubin, "coefficients");
    EXPECT_EQ(coefficients.space, Variable::Space::constant);
    EXPECT_EQ(coefficients.size_bytes, 32u);
    EXPECT_EQ(value_at<float>(cubin.constant3, coefficients.offset_bytes + 8), 3.0f);
    EXPECT_EQ(value_at<float>(cubin.constant3, coefficients.offset_bytes + 12), 0.0f);
    EXPECT_TRUE(variable_of(cubin, "managed_value").is_managed);
    EXPECT_FALSE(table.is_managed);
    for (const Variable& variable : cubin.variables) {
      EXPECT_EQ(variable.alignment_bytes & (variable.alignment_bytes - 1), 0u);
      EXPECT_EQ(variable.offset_bytes % variable.alignment_bytes, 0u);
    }
  }
}

TEST(Cubin, RelocatableCodeIsRefusedWithTheRemedy) {
  Result<Cubin> cubin = read_cubin(data_bytes("tiny_unlinked_sm90.cubin"));
  ASSERT_FALSE(cubin.has_value());
  EXPECT_EQ(cubin.error().id, "cubin.not-linked");
  EXPECT_NE(cubin.error().remedy.find("nvcc"), std::string::npos);
}

TEST(Cubin, CodeForOtherMachinesIsRefused) {
  std::vector<std::byte> file = data_bytes("tiny_sm90.cubin");
  put_at<std::uint16_t>(file, 18, 62);
  EXPECT_EQ(read_cubin(file).error().id, "cubin.machine");
}

}  // namespace
}  // namespace lanebank::image
