// The devices that programs see, and the occupancy rules.
#include <gtest/gtest.h>

#include <cstring>

#include "cudart/device_model.hpp"
#include "cudart/occupancy.hpp"
#include "cudart/tensor_map.hpp"
#include "machine/tensor_map.hpp"
#include "session/device_limits.hpp"

namespace lanebank::cudart {
namespace {

image::Function kernel(unsigned registers, std::uint32_t static_shared = 0) {
  image::Function function;
  function.registers = registers;
  function.static_shared_bytes = static_shared;
  return function;
}

TEST(DeviceModel, IsTheNewestOneNotNewerThanTheCode) {
  EXPECT_EQ(device_model(75).architecture, 75u);
  EXPECT_EQ(device_model(87).architecture, 86u);
  EXPECT_EQ(device_model(90).architecture, 90u);
  EXPECT_EQ(device_model(120).architecture, 90u);
  EXPECT_EQ(device_model(50).architecture, 75u);
}

TEST(DeviceModel, PropertiesSayWhatAttributesSay) {
  for (unsigned architecture : {75u, 80u, 86u, 89u, 90u}) {
    const DeviceModel& model = device_model(architecture);
    const abi::DeviceProp p = model.properties();
    EXPECT_EQ(10u * static_cast<unsigned>(p.major) + static_cast<unsigned>(p.minor), architecture);
    EXPECT_STREQ(p.name, model.name);
    EXPECT_EQ(p.totalGlobalMem, model.memory_bytes);
    EXPECT_EQ(p.warpSize, 32);
    EXPECT_EQ(p.multiProcessorCount, model.attribute(attribute_multiprocessors));
    EXPECT_EQ(p.maxGridSize[0], 2147483647);
    EXPECT_EQ(p.maxThreadsDim[2], 64);
    EXPECT_EQ(static_cast<int>(p.sharedMemPerBlockOptin), model.attribute(attribute_shared_per_block_optin));
    EXPECT_LE(p.sharedMemPerBlockOptin + p.reservedSharedMemPerBlock, p.sharedMemPerMultiprocessor);
    EXPECT_EQ(p.clusterLaunch, architecture >= 90);
    EXPECT_EQ(p.maxTexture2DLinear[2], model.attribute(72));
  }
}

TEST(DeviceModel, KnowsWhichAttributesExist) {
  EXPECT_TRUE(DeviceModel::known(1));
  EXPECT_TRUE(DeviceModel::known(147));
  EXPECT_FALSE(DeviceModel::known(0));
  EXPECT_FALSE(DeviceModel::known(148));
}

struct Case {
  unsigned registers;
  std::uint32_t static_shared;
  unsigned threads;
  std::uint64_t dynamic_shared;
  unsigned blocks;
};

// Numbers that an NVIDIA H200 gave (hardware/functions.h200.txt).
TEST(Occupancy, IsThatOfAnH200) {
  const DeviceModel& h200 = device_model(90);
  for (const Case& c :
       {Case{4, 0, 1, 0, 32}, Case{4, 0, 96, 0, 21}, Case{4, 0, 128, 16384, 13}, Case{4, 0, 1024, 0, 2},
        Case{4, 0, 1025, 0, 0}, Case{10, 6144, 64, 1024, 28}, Case{10, 6144, 64, 5000, 19}, Case{40, 0, 33, 0, 24},
        Case{40, 0, 1024, 0, 1}, Case{56, 0, 96, 0, 12}, Case{72, 0, 33, 0, 14}, Case{72, 0, 1024, 0, 0},
        Case{96, 0, 32, 0, 20}, Case{96, 0, 640, 0, 1}, Case{96, 0, 768, 0, 0}, Case{226, 0, 32, 0, 8},
        Case{226, 0, 96, 0, 2}, Case{4, 0, 32, 116000, 1}, Case{4, 0, 32, 100000, 2}})
    EXPECT_EQ(active_blocks(h200, kernel(c.registers, c.static_shared), c.threads, c.dynamic_shared), c.blocks)
        << c.registers << " registers, " << c.threads << " threads, " << c.static_shared << " + " << c.dynamic_shared
        << " bytes";
  EXPECT_EQ(max_threads(h200, kernel(56)), 1024u);
  EXPECT_EQ(max_threads(h200, kernel(72)), 896u);
  EXPECT_EQ(max_threads(h200, kernel(96)), 640u);
  EXPECT_EQ(max_threads(h200, kernel(226)), 256u);
  EXPECT_EQ(available_shared_bytes(h200, kernel(4), 1), 232448u);
  EXPECT_EQ(available_shared_bytes(h200, kernel(4), 16), 14592u);
  EXPECT_EQ(available_shared_bytes(h200, kernel(10, 6144), 32), 1152u);
}

TEST(Occupancy, FollowsTheLimitsOfOtherDevices) {
  EXPECT_EQ(active_blocks(device_model(75), kernel(32), 32, 0), 16u);
  EXPECT_EQ(active_blocks(device_model(75), kernel(32), 1024, 0), 1u);
  EXPECT_EQ(active_blocks(device_model(86), kernel(32), 256, 0), 6u);
  EXPECT_EQ(active_blocks(device_model(80), kernel(32), 256, 40000), 4u);
}

TEST(Occupancy, SharedMemoryOfALaunchIsLimitedUntilAsked) {
  const DeviceModel& h200 = device_model(90);
  Kernel plain;
  EXPECT_EQ(max_dynamic_shared_bytes(h200, plain, kernel(4)), 49152u);
  EXPECT_EQ(max_dynamic_shared_bytes(h200, plain, kernel(4, 1024)), 48128u);
  plain.settings.max_dynamic_shared_bytes = 100000;
  EXPECT_EQ(max_dynamic_shared_bytes(h200, plain, kernel(4, 1024)), 100000u);
}

TEST(TensorMap, IsWrittenAsTheCopyEngineReadsIt) {
  const std::uint64_t extents[3] = {256, std::uint64_t{1} << 32, 4}, strides[2] = {512, 1 << 20};
  const std::uint32_t box[3] = {64, 16, 2}, steps[3] = {1, 2, 1};
  alignas(64) unsigned char map[128];
  auto* base = reinterpret_cast<void*>(0x10000);
  ASSERT_TRUE(encode_tensor_map(map, {.data_type = 9,
                                      .rank = 3,
                                      .address = base,
                                      .extents = extents,
                                      .stride_bytes = strides,
                                      .box = box,
                                      .element_strides = steps,
                                      .swizzle = 3,
                                      .fill = 1}));
  machine::TensorMapWords words;
  std::memcpy(&words, map, sizeof words);
  machine::TensorMap read;
  ASSERT_TRUE(machine::decode(words, read));
  EXPECT_EQ(read.rank, 3);
  EXPECT_EQ(read.element_bytes, 2);
  EXPECT_EQ(read.address, 0x10000u);
  EXPECT_EQ(read.extent[0], 256u);
  EXPECT_EQ(read.extent[1], 0u) << "2^32";
  EXPECT_EQ(read.stride_bytes[1], 1u << 20);
  EXPECT_EQ(read.box[2], 2);
  EXPECT_EQ(read.element_stride[1], 2);
  EXPECT_EQ(read.swizzle, 3);
  EXPECT_EQ(read.fill_nan, 1);
  EXPECT_EQ(read.data_type, 9);
  // What ptxas stores for tensormap.replace: another address, extent, stride, box, element stride and type (tf32).
  words[0] = 0x20000;
  words[9] = 100 - 1;
  words[4] = 4096 >> 4;
  words[14] = (words[14] & ~0xffu) | (32 - 1);
  words[13] = (words[13] & ~7u) | (2 - 1);
  words[2] = (words[2] & ~0x780u) | 0x10380;
  ASSERT_TRUE(machine::decode(words, read));
  EXPECT_EQ(read.address, 0x20000u);
  EXPECT_EQ(read.extent[1], 100u);
  EXPECT_EQ(read.stride_bytes[1], 4096u);
  EXPECT_EQ(read.stride_bytes[0], 512u);
  EXPECT_EQ(read.box[1], 32);
  EXPECT_EQ(read.box[0], 64);
  EXPECT_EQ(read.element_stride[0], 2);
  EXPECT_EQ(read.element_stride[1], 2);
  EXPECT_EQ(read.data_type, 11);
  EXPECT_EQ(read.element_bytes, 4);
  EXPECT_FALSE(machine::decode({}, read));
  EXPECT_FALSE(encode_tensor_map(nullptr, {.data_type = 9,
                                           .rank = 3,
                                           .address = base,
                                           .extents = extents,
                                           .stride_bytes = strides,
                                           .box = box,
                                           .element_strides = steps}));
  EXPECT_FALSE(encode_tensor_map(map, {.data_type = 9,
                                       .rank = 3,
                                       .address = reinterpret_cast<void*>(8),
                                       .extents = extents,
                                       .stride_bytes = strides,
                                       .box = box,
                                       .element_strides = steps}));
}

TEST(DeviceModel, LaunchesWithoutAProgramHaveTheSameLimits) {
  for (unsigned architecture : {75u, 80u, 86u, 89u, 90u})
    for (unsigned threads : {32u, 256u, 1024u})
      EXPECT_EQ(session::block_room(session::device_limits(architecture), threads, 64),
                block_room(device_model(architecture), kernel(64), threads))
          << architecture;
}

}  // namespace
}  // namespace lanebank::cudart
