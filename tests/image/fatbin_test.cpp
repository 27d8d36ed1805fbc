#include "image/fatbin.hpp"

#include "files.hpp"

namespace lanebank::image {
namespace {

using Kind = FatbinEntry::Kind;
using Compression = FatbinEntry::Compression;

std::vector<FatbinEntry> entries_of(const std::vector<std::byte>& file) {
  Result<std::vector<FatbinEntry>> entries = read_fatbin(file);
  EXPECT_TRUE(entries.has_value()) << to_string(entries.error());
  return entries ? *entries : std::vector<FatbinEntry>();
}

std::string unpacked_text(const FatbinEntry& entry) {
  Result<std::vector<std::byte>> plain = unpack(entry);
  EXPECT_TRUE(plain.has_value()) << to_string(plain.error());
  if (!plain) return {};
  return {reinterpret_cast<const char*>(plain->data()), plain->size()};
}

TEST(Fatbin, AllCompressionsHoldTheSameCubinAndPtx) {
  std::string cubin = data_text("tiny_sm90.cubin"), ptx;
  struct Case {
    const char* file;
    Compression of_ptx;
  };
  for (const Case& c : {Case{"tiny_plain.fatbin", Compression::none}, Case{"tiny_zstd.fatbin", Compression::zstd},
                        Case{"tiny_lz4.fatbin", Compression::lz4}}) {
    SCOPED_TRACE(c.file);
    std::vector<std::byte> file = data_bytes(c.file);
    std::vector<FatbinEntry> entries = entries_of(file);
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].kind, Kind::cubin);
    EXPECT_EQ(entries[0].architecture, 90u);
    EXPECT_EQ(unpacked_text(entries[0]), cubin);
    EXPECT_EQ(entries[1].kind, Kind::ptx);
    EXPECT_EQ(entries[1].compression, c.of_ptx);
    std::string text = unpacked_text(entries[1]);
    EXPECT_NE(text.find(".visible .entry _Z7reversePKfPf("), std::string::npos);
    EXPECT_EQ(text.find('\0'), std::string::npos);
    if (ptx.empty()) ptx = text;
    EXPECT_EQ(text, ptx);
  }
}

TEST(Fatbin, EntriesSayArchitectureFileAndOptions) {
  std::vector<std::byte> file = data_bytes("arrays_two.fatbin");
  std::vector<FatbinEntry> entries = entries_of(file);
  ASSERT_EQ(entries.size(), 3u);
  std::size_t cubins = 0;
  for (const FatbinEntry& entry : entries) {
    EXPECT_EQ(entry.file_name, "arrays.cu");
    EXPECT_FALSE(entry.debug);
    EXPECT_FALSE(entry.family_specific);
    EXPECT_EQ(entry.architecture_specific, entry.architecture == 90);
    if (entry.kind == Kind::ptx) {
      EXPECT_EQ(entry.architecture, 75u);
      EXPECT_NE(entry.options.find("--generate-line-info"), std::string::npos);
    } else {
      ++cubins;
      EXPECT_NE(entry.compression, Compression::none);
      Result<std::vector<std::byte>> plain = unpack(entry);
      ASSERT_TRUE(plain.has_value());
      EXPECT_EQ(plain->size(), entry.unpacked_bytes);
      Result<Cubin> cubin = read_cubin(*plain);
      ASSERT_TRUE(cubin.has_value()) << to_string(cubin.error());
      EXPECT_EQ(cubin->architecture, entry.architecture);
      EXPECT_EQ(cubin->architecture_specific, entry.architecture_specific);
    }
  }
  EXPECT_EQ(cubins, 2u);
}

TEST(Fatbin, SizeComesFromTheHeaderAlone) {
  std::vector<std::byte> file = data_bytes("tiny_zstd.fatbin");
  Result<std::uint64_t> size = fatbin_size(file.data());
  ASSERT_TRUE(size.has_value());
  EXPECT_EQ(*size, file.size());
  file[0] = std::byte{0};
  EXPECT_EQ(fatbin_size(file.data()).error().id, "fatbin.magic");
}

TEST(Fatbin, NamesContainersOfOldToolkits) {
  std::vector<std::byte> file = data_bytes("tiny_zstd.fatbin");
  put_at<std::uint32_t>(file, 0, 0x1EE55A01);
  EXPECT_EQ(read_fatbin(file).error().id, "fatbin.old");
}

TEST(Fatbin, EveryTruncationIsAnError) {
  for (const char* name : {"tiny_zstd.fatbin", "tiny_lz4.fatbin"}) {
    std::vector<std::byte> file = data_bytes(name);
    for (std::size_t size = 0; size < file.size(); ++size) {
      Result<std::vector<FatbinEntry>> entries = read_fatbin(std::span(file).first(size));
      ASSERT_FALSE(entries.has_value()) << name << " cut to " << size << " bytes";
      ASSERT_EQ(entries.error().id, "fatbin.truncated");
    }
  }
}

TEST(Fatbin, EntriesOfUnknownKindsAreSkipped) {
  std::vector<std::byte> file = data_bytes("tiny_zstd.fatbin");
  put_at<std::uint16_t>(file, 16, 64);
  std::vector<FatbinEntry> entries = entries_of(file);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].kind, Kind::ptx);
}

TEST(Fatbin, SizesThatDoNotFitAreErrors) {
  std::vector<std::byte> good = data_bytes("tiny_zstd.fatbin");
  constexpr std::size_t entry = 16;
  struct Lie {
    std::size_t offset;
    std::uint64_t value;
    unsigned bytes;
  };
  for (const Lie& lie :
       {Lie{8, UINT64_MAX, 8}, Lie{8, std::uint64_t(1) << 39, 8}, Lie{entry + 4, 8, 4}, Lie{entry + 4, UINT32_MAX, 4},
        Lie{entry + 8, UINT64_MAX, 8}, Lie{entry + 8, UINT64_MAX - 60, 8}, Lie{entry + 16, UINT32_MAX, 4}}) {
    std::vector<std::byte> file = good;
    std::memcpy(file.data() + lie.offset, &lie.value, lie.bytes);
    EXPECT_FALSE(read_fatbin(file).has_value()) << "offset " << lie.offset << " set to " << lie.value;
  }
}

TEST(Fatbin, UnpackedSizesThatTheFormatCannotReachAreRefusedBeforeTheyAreAllocated) {
  for (const char* name : {"tiny_zstd.fatbin", "tiny_lz4.fatbin"}) {
    std::vector<std::byte> file = data_bytes(name);
    FatbinEntry entry = entries_of(file).at(1);
    for (std::uint64_t size : {UINT64_MAX, std::uint64_t(1) << 40, std::uint64_t(1) << 29}) {
      entry.unpacked_bytes = size;
      Result<std::vector<std::byte>> plain = unpack(entry);
      ASSERT_FALSE(plain.has_value());
      EXPECT_EQ(plain.error().id, "fatbin.size") << name << " " << size;
    }
  }
}

TEST(Fatbin, CompressedDataThatDoNotFillTheirSizeAreErrors) {
  for (const char* name : {"tiny_zstd.fatbin", "tiny_lz4.fatbin"}) {
    std::vector<std::byte> file = data_bytes(name);
    FatbinEntry entry = entries_of(file).at(1);
    std::uint64_t true_size = entry.unpacked_bytes;
    for (std::uint64_t size : {true_size - 1, true_size + 1, std::uint64_t(0)}) {
      entry.unpacked_bytes = size;
      Result<std::vector<std::byte>> plain = unpack(entry);
      ASSERT_FALSE(plain.has_value()) << name << " " << size;
      EXPECT_EQ(plain.error().id, "fatbin.compression");
    }
  }
}

}  // namespace
}  // namespace lanebank::image
