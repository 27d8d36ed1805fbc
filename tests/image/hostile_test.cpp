// Damaged images: whatever the bytes are, the readers answer with a value or a Diagnostic.
#include <random>

#include "../random_seed.hpp"
#include "files.hpp"
#include "image/cubin.hpp"
#include "image/fatbin.hpp"

namespace lanebank::image {
namespace {

/// Reads, links and asks for every line: all that a loader does with a cubin.
bool use_cubin(std::span<const std::byte> file) {
  Result<Cubin> cubin = read_cubin(file);
  if (!cubin) {
    EXPECT_FALSE(cubin.error().id.empty());
    EXPECT_FALSE(cubin.error().what.empty());
    return false;
  }
  Placement place{0x1000, 0x2000, 0x3000, 0x4000,
                  [](std::string_view) { return std::optional<std::uint64_t>(0x5000); }};
  Result<Linked> linked = link(*cubin, place);
  EXPECT_TRUE(linked.has_value() || !linked.error().id.empty());
  for (const Function& function : cubin->functions) {
    EXPECT_LE(std::uint64_t(function.code_offset_bytes) + function.code_bytes, cubin->code.size());
    for (const LineTable::Row& row : function.lines.rows) {
      EXPECT_LE(row.offset_bytes, function.code_bytes);
      EXPECT_FALSE(function.lines.find(row.offset_bytes).empty());
    }
    for (const SharedArray& array : function.arrays)
      EXPECT_LE(std::uint64_t(array.offset_bytes) + array.size_bytes, function.static_shared_bytes);
  }
  return true;
}

void use_fatbin(std::span<const std::byte> file) {
  Result<std::vector<FatbinEntry>> entries = read_fatbin(file);
  if (!entries) return;
  for (const FatbinEntry& entry : *entries) {
    Result<std::vector<std::byte>> plain = unpack(entry);
    if (plain && entry.kind == FatbinEntry::Kind::cubin) use_cubin(*plain);
  }
}

TEST(Hostile, EveryTruncationOfACubinIsAnError) {
  std::vector<std::byte> file = data_bytes("tiny_sm90.cubin");
  // Section headers, then program headers, end the file; without a byte of the former nothing can be read.
  auto sections = value_at<std::uint64_t>(file, 0x28) + std::uint64_t(value_at<std::uint16_t>(file, 0x3c)) * 64;
  ASSERT_LE(sections, file.size());
  for (std::size_t size = 0; size < sections; ++size)
    ASSERT_FALSE(use_cubin(std::span(file).first(size))) << "cut to " << size << " bytes";
  EXPECT_TRUE(use_cubin(file));
}

TEST(Hostile, EveryByteOfACubinSetToExtremes) {
  std::vector<std::byte> file = data_bytes("tiny_sm90.cubin");
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (std::byte value : {std::byte{0}, std::byte{0xff}, file[at] ^ std::byte{0x80}, file[at] ^ std::byte{1}}) {
      std::byte old = file[at];
      file[at] = value;
      use_cubin(file);
      file[at] = old;
    }
  }
}

TEST(Hostile, EveryWordOfACubinSetToLies) {
  for (const char* name : {"tiny_sm90.cubin", "objects_rdc_sm75.cubin"}) {
    std::vector<std::byte> file = data_bytes(name);
    std::size_t step = file.size() > 8192 ? 40 : 4;
    for (std::size_t at = 0; at + 4 <= file.size(); at += step) {
      auto old = value_at<std::uint32_t>(file, at);
      for (std::uint32_t lie : {0x7fffffffu, 0xfffffff0u, 0x10000u, std::uint32_t(file.size()), old + 1}) {
        put_at(file, at, lie);
        use_cubin(file);
      }
      put_at(file, at, old);
    }
  }
}

TEST(Hostile, EveryByteOfAFatbinSetToExtremes) {
  for (const char* name : {"tiny_zstd.fatbin", "tiny_lz4.fatbin"}) {
    std::vector<std::byte> file = data_bytes(name);
    for (std::size_t at = 0; at < file.size(); ++at) {
      for (std::byte value : {std::byte{0}, std::byte{0xff}, file[at] ^ std::byte{0x80}}) {
        std::byte old = file[at];
        file[at] = value;
        use_fatbin(file);
        file[at] = old;
      }
    }
  }
}

TEST(Hostile, RandomDamage) {
  std::mt19937_64 random(test_seed());
  for (const char* name : {"arrays_sm90.cubin", "arrays_rdc_sm90.cubin", "objects_sm90a.cubin", "arrays_two.fatbin"}) {
    std::vector<std::byte> good = data_bytes(name);
    for (int round = 0; round < 150; ++round) {
      std::vector<std::byte> file = good;
      for (unsigned damage = 1 + random() % 20; damage != 0; --damage)
        file[random() % file.size()] = std::byte(random());
      std::string(name).ends_with(".cubin") ? void(use_cubin(file)) : use_fatbin(file);
    }
  }
}

TEST(Hostile, RandomBytes) {
  std::mt19937_64 random(test_seed());
  std::vector<std::byte> head = data_bytes("tiny_sm90.cubin");
  head.resize(64);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::byte> file(random() % 4096);
    for (std::byte& byte : file) byte = std::byte(random());
    EXPECT_FALSE(use_cubin(file));
    use_fatbin(file);
    file.insert(file.begin(), head.begin(), head.end());
    use_cubin(file);
  }
}

TEST(Hostile, SequencesOfTwoFunctionsAreRefused) {
  std::vector<std::byte> file = data_bytes("arrays_sm90.cubin");
  // The ends of sequences become operations that make no row.
  const std::byte end[] = {std::byte{0}, std::byte{1}, std::byte{1}};
  const std::byte nothing[] = {std::byte{5}, std::byte{0}, std::byte{7}};  // column 0; a basic block begins
  const std::byte start[] = {std::byte{0}, std::byte{9}, std::byte{2}};    // set_address, which follows at once
  const std::byte both[] = {end[0], end[1], end[2], start[0], start[1], start[2]};
  std::size_t found = 0;
  for (auto at = file.begin(); at = std::search(at, file.end(), both, both + 6), at != file.end(); ++found)
    at = std::copy(nothing, nothing + 3, at);
  ASSERT_GT(found, 0u);
  Result<Cubin> cubin = read_cubin(file);
  ASSERT_FALSE(cubin.has_value());
  EXPECT_EQ(cubin.error().id, "cubin.line-table");
  EXPECT_EQ(cubin.error().what, "one sequence has rows of two functions");
}

TEST(Hostile, SectionsThatOverlapAreRefused) {
  std::vector<std::byte> file = data_bytes("tiny_sm90.cubin");
  auto sections = value_at<std::uint64_t>(file, 0x28);
  for (unsigned i = 1; i < value_at<std::uint16_t>(file, 0x3c); ++i) {
    put_at<std::uint64_t>(file, sections + 64 * i + 24, 0);
    put_at<std::uint64_t>(file, sections + 64 * i + 32, file.size());
  }
  Result<Cubin> cubin = read_cubin(file);
  ASSERT_FALSE(cubin.has_value());
  EXPECT_EQ(cubin.error().id, "elf.overlap");
}

}  // namespace
}  // namespace lanebank::image
