// Copies and fills: what is refused, and that boxes move as their definition says.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "cudart/transfers.hpp"

namespace lanebank::cudart {
namespace {

using abi::cudaMemcpyDefault;
using abi::cudaMemcpyDeviceToDevice;
using abi::cudaMemcpyDeviceToHost;
using abi::cudaMemcpyHostToDevice;
using abi::cudaMemcpyHostToHost;
using machine::MemoryKind;

struct Ends : ::testing::Test {
  machine::Memory memory{std::uint64_t{1} << 30};
  std::byte* device = reinterpret_cast<std::byte*>(memory.allocate(1000, MemoryKind::device));
  std::byte* pinned = reinterpret_cast<std::byte*>(memory.allocate(1000, MemoryKind::host_pinned));
  std::vector<std::byte> host = std::vector<std::byte>(2000);
};

TEST_F(Ends, PlacesOfAddresses) {
  EXPECT_EQ(place_of(memory, host.data(), 2000), Place::host);
  EXPECT_EQ(place_of(memory, device, 1000), Place::device);
  EXPECT_EQ(place_of(memory, device + 10, 990), Place::device);
  EXPECT_EQ(place_of(memory, device + 10, 991), Place::beyond);
  EXPECT_EQ(place_of(memory, device + 1000, 1), Place::beyond);
  EXPECT_EQ(place_of(memory, pinned, 1000), Place::device);
  memory.free(reinterpret_cast<std::uint64_t>(device));
  EXPECT_EQ(place_of(memory, device, 1), Place::beyond);
}

TEST_F(Ends, KindsHoldOnlyTheDevicesEndToItsWord) {
  const struct {
    const void *to, *from;
    abi::MemcpyKind kind;
    abi::Error error;
  } cases[] = {
      {device, host.data(), cudaMemcpyHostToDevice, abi::cudaSuccess},
      {host.data(), device, cudaMemcpyHostToDevice, abi::cudaErrorInvalidValue},
      {device, pinned, cudaMemcpyHostToDevice, abi::cudaSuccess},
      {device, host.data(), cudaMemcpyDeviceToHost, abi::cudaErrorInvalidValue},
      {host.data(), device, cudaMemcpyDeviceToHost, abi::cudaSuccess},
      {host.data(), device, cudaMemcpyHostToHost, abi::cudaSuccess},
      {host.data(), host.data() + 1000, cudaMemcpyDeviceToDevice, abi::cudaErrorInvalidValue},
      {host.data(), host.data() + 1000, cudaMemcpyDefault, abi::cudaSuccess},
      {device, host.data(), static_cast<abi::MemcpyKind>(5), abi::cudaErrorInvalidMemcpyDirection},
      {device, host.data(), static_cast<abi::MemcpyKind>(-1), abi::cudaErrorInvalidMemcpyDirection},
      {nullptr, host.data(), cudaMemcpyHostToDevice, abi::cudaErrorInvalidValue},
      {device, nullptr, cudaMemcpyHostToDevice, abi::cudaErrorInvalidValue},
  };
  for (const auto& c : cases) EXPECT_EQ(check(memory, linear(const_cast<void*>(c.to), c.from, 100), c.kind), c.error);
  EXPECT_EQ(check(memory, linear(nullptr, nullptr, 0), cudaMemcpyHostToDevice), abi::cudaSuccess);
}

TEST_F(Ends, NothingBeyondAnAllocationIsTouched) {
  EXPECT_EQ(check(memory, linear(device, host.data(), 1001), cudaMemcpyHostToDevice), abi::cudaErrorInvalidValue);
  EXPECT_EQ(check(memory, linear(host.data(), device + 1, 1000), cudaMemcpyDefault), abi::cudaErrorInvalidValue);
  CopyWork rows = linear(device, host.data(), 100);
  rows.height = 10;
  rows.to_pitch_bytes = rows.from_pitch_bytes = 100;
  EXPECT_EQ(check(memory, rows, cudaMemcpyHostToDevice), abi::cudaSuccess);
  rows.to_pitch_bytes = 101;
  EXPECT_EQ(check(memory, rows, cudaMemcpyHostToDevice), abi::cudaErrorInvalidValue);
  rows.to_pitch_bytes = ~std::size_t{0} / 2;
  EXPECT_EQ(check(memory, rows, cudaMemcpyHostToDevice), abi::cudaErrorInvalidValue);
  EXPECT_EQ(check(memory, SetWork{.to = device, .width_bytes = 1001}), abi::cudaErrorInvalidValue);
  EXPECT_EQ(check(memory, SetWork{.to = host.data(), .width_bytes = 10}), abi::cudaErrorInvalidValue);
  EXPECT_EQ(check(memory, SetWork{.to = device, .width_bytes = 1000}), abi::cudaSuccess);
}

TEST_F(Ends, AdoptedMemoryOfTheHostCountsAsTheDevices) {
  const auto first = reinterpret_cast<std::uint64_t>(host.data());
  EXPECT_EQ(check(memory, linear(host.data(), device, 8), cudaMemcpyDeviceToDevice), abi::cudaErrorInvalidValue);
  ASSERT_TRUE(memory.adopt(first, 2000, MemoryKind::host_pinned));
  EXPECT_FALSE(memory.adopt(first + 100, 10, MemoryKind::host_pinned));
  EXPECT_EQ(check(memory, linear(host.data(), device, 8), cudaMemcpyDeviceToDevice), abi::cudaSuccess);
  EXPECT_EQ(check(memory, linear(host.data() + 1999, device, 8), cudaMemcpyDeviceToDevice), abi::cudaErrorInvalidValue);
  ASSERT_TRUE(memory.release(first));
  EXPECT_FALSE(memory.release(first));
  EXPECT_EQ(place_of(memory, host.data(), 1), Place::host);
}

TEST(Extent, IsTheDistanceOfTheLastByte) {
  EXPECT_EQ(extent_of(10, 1, 1, 0, 0), 10u);
  EXPECT_EQ(extent_of(10, 3, 2, 16, 100), 10u + 2 * 16 + 100);
  EXPECT_EQ(extent_of(0, 3, 2, 16, 100), 0u);
  EXPECT_EQ(extent_of(10, ~std::size_t{0}, 1, 16, 0), std::nullopt);
  EXPECT_EQ(extent_of(~std::size_t{0}, 2, 1, 16, 0), std::nullopt);
}

// to[z * to_slice + y * to_pitch + x] = from[z * from_slice + y * from_pitch + x] for all x, y, z of the box, and
// nothing else changes.
TEST(Boxes, MoveElementByElement) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    CopyWork copy;
    copy.width_bytes = 1 + random() % 20;
    copy.height = 1 + random() % 6;
    copy.depth = 1 + random() % 4;
    copy.to_pitch_bytes = copy.width_bytes + random() % 5;
    copy.from_pitch_bytes = copy.width_bytes + random() % 5;
    copy.to_slice_bytes = copy.to_pitch_bytes * copy.height + random() % 7;
    copy.from_slice_bytes = copy.from_pitch_bytes * copy.height + random() % 7;
    std::vector<std::byte> from(1000), to(1000), expected;
    for (auto* bytes : {&from, &to})
      for (std::byte& byte : *bytes) byte = static_cast<std::byte>(random());
    expected = to;
    for (std::size_t z = 0; z < copy.depth; ++z)
      for (std::size_t y = 0; y < copy.height; ++y)
        for (std::size_t x = 0; x < copy.width_bytes; ++x)
          expected[z * copy.to_slice_bytes + y * copy.to_pitch_bytes + x] =
              from[z * copy.from_slice_bytes + y * copy.from_pitch_bytes + x];
    copy.to = to.data();
    copy.from = from.data();
    perform(copy);
    ASSERT_EQ(to, expected);
  }
}

TEST(Boxes, FillWithElementsOfOneTwoAndFourBytes) {
  std::vector<std::byte> bytes(64, std::byte{0xaa});
  perform(SetWork{
      .to = bytes.data(), .value = 0x01020304, .element_bytes = 4, .width_bytes = 8, .height = 2, .pitch_bytes = 16});
  perform(SetWork{.to = bytes.data() + 32, .value = 0x0506, .element_bytes = 2, .width_bytes = 4});
  perform(SetWork{.to = bytes.data() + 40, .value = 0x07, .width_bytes = 3});
  const unsigned char expected[48] = {4,    3,    2,    1,    4,    3,    2,    1,    0xaa, 0xaa, 0xaa, 0xaa,
                                      0xaa, 0xaa, 0xaa, 0xaa, 4,    3,    2,    1,    4,    3,    2,    1,
                                      0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 6,    5,    6,    5,
                                      0xaa, 0xaa, 0xaa, 0xaa, 7,    7,    7,    0xaa, 0xaa, 0xaa, 0xaa, 0xaa};
  EXPECT_EQ(std::memcmp(bytes.data(), expected, sizeof expected), 0);
}

TEST(Boxes, OfCallsWithPitchedPointers) {
  abi::Memcpy3DParms parms;
  std::byte to[1024], from[4096];
  CopyWork copy;
  parms.srcPtr = {from, 32, 32, 8};
  parms.srcPos = {4, 2, 1};
  parms.dstPtr = {to, 16, 16, 4};
  parms.extent = {6, 3, 2};
  ASSERT_EQ(box(&parms, copy), abi::cudaSuccess);
  EXPECT_EQ(copy.from, from + 1 * 32 * 8 + 2 * 32 + 4);
  EXPECT_EQ(copy.to, to);
  EXPECT_EQ(copy.from_slice_bytes, 256u);
  EXPECT_EQ(copy.to_pitch_bytes, 16u);
  parms.extent.width = 17;
  EXPECT_EQ(box(&parms, copy), abi::cudaErrorInvalidPitchValue);
  parms.srcArray = to;
  EXPECT_EQ(box(&parms, copy), abi::cudaErrorInvalidValue);
  EXPECT_EQ(box(nullptr, copy), abi::cudaErrorInvalidValue);
}

}  // namespace
}  // namespace lanebank::cudart
