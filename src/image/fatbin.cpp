#include "image/fatbin.hpp"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>

#include "image/byte_reader.hpp"

namespace lanebank::image {
namespace {

constexpr std::uint32_t container_magic = 0xBA55ED50;
constexpr std::uint32_t old_magic = 0x1EE55A01;
constexpr std::uint64_t container_header_bytes = 16;
constexpr std::uint64_t entry_header_bytes = 64;
constexpr std::uint16_t kind_ptx = 1;
constexpr std::uint16_t kind_cubin = 2;

constexpr std::uint64_t flag_debug = 1u << 1;
constexpr std::uint64_t flag_lz4 = 1u << 13;
constexpr std::uint64_t flag_zstd = 1u << 15;
constexpr std::uint64_t flag_architecture_specific = 1u << 20;
constexpr std::uint64_t flag_family_specific = 1u << 21;

constexpr std::uint64_t unpacked_limit_bytes = std::uint64_t(1) << 30;
// What the formats can reach at most: LZ4 adds 255 bytes of match per byte, a zstd block of 4 bytes
// repeats one byte 128 Ki times.
constexpr std::uint64_t lz4_ratio_limit = 256;
constexpr std::uint64_t zstd_ratio_limit = 32768 + 64;

std::string entry_name(std::size_t index) { return "fatbin entry " + std::to_string(index); }

/// Checks a 16-byte header and gives the size of the whole container.
Result<std::uint64_t> container_size(Bytes header) {
  std::uint32_t magic = load<std::uint32_t>(header, 0);
  if (magic == old_magic)
    return fail("fatbin.old", "fatbin header", "it is of a CUDA version before 4",
                "build the program with CUDA 12 or 13");
  if (magic != container_magic)
    return fail("fatbin.magic", "fatbin header", "the first four bytes are not those of a fatbin", rebuild);
  std::uint16_t version = load<std::uint16_t>(header, 4);
  std::uint16_t header_bytes = load<std::uint16_t>(header, 6);
  std::uint64_t body_bytes = load<std::uint64_t>(header, 8);
  if (version != 1 || header_bytes != container_header_bytes)
    return fail("fatbin.version", "fatbin header",
                "version " + std::to_string(version) + " with a header of " + std::to_string(header_bytes) +
                    " bytes; version 1 with 16 bytes is known");
  if (body_bytes > (std::uint64_t(1) << 40))
    return fail("fatbin.size", "fatbin header", "it claims " + std::to_string(body_bytes) + " bytes of content",
                rebuild);
  return container_header_bytes + body_bytes;
}

std::string text_between(Bytes header, std::uint64_t offset, std::uint64_t length) {
  if (!fits(offset, length, header.size())) return {};
  std::string_view text(reinterpret_cast<const char*>(header.data()) + offset, length);
  return std::string(text.substr(0, text.find('\0')));
}

/// The ptxas options that a PTX entry records, behind an {offset, length} pair in its header.
std::string recorded_options(Bytes header) {
  std::uint32_t record = load<std::uint32_t>(header, 20);
  if (record == 0 || !fits(record, 8, header.size())) return {};
  return text_between(header, load<std::uint32_t>(header, record), load<std::uint32_t>(header, record + 4));
}

Result<FatbinEntry> read_entry(Bytes header, Bytes payload, const std::string& where) {
  FatbinEntry entry;
  entry.kind = load<std::uint16_t>(header, 0) == kind_ptx ? FatbinEntry::Kind::ptx : FatbinEntry::Kind::cubin;
  entry.architecture = load<std::uint32_t>(header, 28);
  std::uint64_t flags = load<std::uint64_t>(header, 40);
  entry.architecture_specific = (flags & flag_architecture_specific) != 0;
  entry.family_specific = (flags & flag_family_specific) != 0;
  entry.debug = (flags & flag_debug) != 0;
  entry.file_name = text_between(header, load<std::uint32_t>(header, 32), load<std::uint32_t>(header, 36));
  if (entry.kind == FatbinEntry::Kind::ptx) entry.options = recorded_options(header);

  std::uint32_t compressed_bytes = load<std::uint32_t>(header, 16);
  std::uint64_t uncompressed_bytes = load<std::uint64_t>(header, 56);
  bool zstd = (flags & flag_zstd) != 0;
  bool lz4 = (flags & flag_lz4) != 0;
  if (zstd && lz4) return fail("fatbin.compression", where, "it claims to be compressed in two ways at once", rebuild);
  if (!zstd && !lz4) {
    if (compressed_bytes != 0)
      return fail("fatbin.compression", where, "it is compressed, but with neither zstd nor LZ4",
                  "build with nvcc of CUDA 12 or 13, or with --compress-mode=none");
    entry.unpacked_bytes = payload.size();
    entry.payload = payload;
    return entry;
  }
  if (compressed_bytes > payload.size())
    return fail("fatbin.truncated", where,
                "its " + std::to_string(compressed_bytes) + " compressed bytes do not fit its payload of " +
                    std::to_string(payload.size()),
                rebuild);
  entry.compression = zstd ? FatbinEntry::Compression::zstd : FatbinEntry::Compression::lz4;
  entry.unpacked_bytes = uncompressed_bytes;
  entry.payload = payload.first(compressed_bytes);
  return entry;
}

/// Refuses unpacked sizes that the compressed bytes cannot hold, before memory is taken for them.
Result<void> check_unpacked_size(const FatbinEntry& entry) {
  std::uint64_t ratio = entry.compression == FatbinEntry::Compression::zstd ? zstd_ratio_limit : lz4_ratio_limit;
  bool possible = entry.unpacked_bytes <= unpacked_limit_bytes && entry.unpacked_bytes / ratio <= entry.payload.size();
  if (possible) return {};
  return fail("fatbin.size", "fatbin entry for sm_" + std::to_string(entry.architecture),
              std::to_string(entry.payload.size()) + " compressed bytes claim to hold " +
                  std::to_string(entry.unpacked_bytes) + "; the limit is 1 GiB and what the format can reach",
              rebuild);
}

}  // namespace

Result<std::uint64_t> fatbin_size(const void* data) {
  return container_size(Bytes(static_cast<const std::byte*>(data), container_header_bytes));
}

Result<std::vector<FatbinEntry>> read_fatbin(Bytes container) {
  if (container.size() < container_header_bytes)
    return fail("fatbin.truncated", "fatbin header",
                "16 bytes are needed, there are " + std::to_string(container.size()), rebuild);
  Result<std::uint64_t> size = container_size(container);
  if (!size) return tl::unexpected(size.error());
  if (*size > container.size())
    return fail("fatbin.truncated", "fatbin header",
                "it claims " + std::to_string(*size) + " bytes, there are " + std::to_string(container.size()),
                rebuild);

  std::vector<FatbinEntry> entries;
  Bytes rest = container.subspan(container_header_bytes, *size - container_header_bytes);
  for (std::size_t index = 0; !rest.empty(); ++index) {
    std::string where = entry_name(index);
    if (rest.size() < entry_header_bytes)
      return fail("fatbin.truncated", where, "its header needs 64 bytes, " + std::to_string(rest.size()) + " are left",
                  rebuild);
    std::uint32_t header_bytes = load<std::uint32_t>(rest, 4);
    std::uint64_t payload_bytes = load<std::uint64_t>(rest, 8);
    if (header_bytes < entry_header_bytes || !fits(header_bytes, payload_bytes, rest.size()))
      return fail("fatbin.truncated", where,
                  "a header of " + std::to_string(header_bytes) + " and a payload of " + std::to_string(payload_bytes) +
                      " bytes do not fit the " + std::to_string(rest.size()) + " that are left",
                  rebuild);
    std::uint16_t kind = load<std::uint16_t>(rest, 0);
    if (kind == kind_ptx || kind == kind_cubin) {
      Result<FatbinEntry> entry =
          read_entry(rest.first(header_bytes), rest.subspan(header_bytes, payload_bytes), where);
      if (!entry) return tl::unexpected(entry.error());
      entries.push_back(std::move(*entry));
    }
    rest = rest.subspan(header_bytes + payload_bytes);
  }
  return entries;
}

Result<std::vector<std::byte>> unpack(const FatbinEntry& entry) {
  std::vector<std::byte> plain;
  std::string where = "fatbin entry for sm_" + std::to_string(entry.architecture);
  if (entry.compression == FatbinEntry::Compression::none) {
    plain.assign(entry.payload.begin(), entry.payload.end());
  } else {
    if (Result<void> possible = check_unpacked_size(entry); !possible) return tl::unexpected(possible.error());
    plain.resize(entry.unpacked_bytes);
    bool exact = false;
    if (entry.compression == FatbinEntry::Compression::zstd) {
      std::size_t done = ZSTD_decompress(plain.data(), plain.size(), entry.payload.data(), entry.payload.size());
      exact = !ZSTD_isError(done) && done == plain.size();
    } else {
      int done =
          LZ4_decompress_safe(reinterpret_cast<const char*>(entry.payload.data()),
                              reinterpret_cast<char*>(plain.data()), int(entry.payload.size()), int(plain.size()));
      exact = done >= 0 && std::size_t(done) == plain.size();
    }
    if (!exact) {
      const char* name = entry.compression == FatbinEntry::Compression::zstd ? "zstd" : "LZ4";
      return fail("fatbin.compression", where,
                  std::string("its ") + name + " data do not unpack to the " + std::to_string(plain.size()) +
                      " bytes that it claims",
                  rebuild);
    }
  }
  if (entry.kind == FatbinEntry::Kind::ptx)
    plain.erase(std::find(plain.begin(), plain.end(), std::byte{0}), plain.end());
  return plain;
}

}  // namespace lanebank::image
