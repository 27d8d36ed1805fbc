// The fatbin container: what nvcc embeds in a host program, one entry per architecture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"

namespace lanebank::image {

using Bytes = std::span<const std::byte>;

/// One entry of a fatbin. `payload` points into the container; `unpack` gives the plain bytes.
struct FatbinEntry {
  enum class Kind { ptx, cubin };
  enum class Compression { none, zstd, lz4 };

  Kind kind = Kind::cubin;
  unsigned architecture = 0;           ///< 90 for sm_90 and sm_90a
  bool architecture_specific = false;  ///< target ends in "a"
  bool family_specific = false;        ///< target ends in "f"
  bool debug = false;                  ///< compiled with -G
  Compression compression = Compression::none;
  std::uint64_t unpacked_bytes = 0;
  std::string file_name;  ///< source file, empty without -lineinfo
  std::string options;    ///< ptxas options recorded with PTX
  Bytes payload;
};

/// The entries of a fatbin (magic 0xBA55ED50), in file order; entries of unknown kinds are skipped.
/// Every length and offset is checked against `container`.
Result<std::vector<FatbinEntry>> read_fatbin(Bytes container);

/// The size in bytes of the fatbin that starts at `data` (header included), without reading past its
/// 16-byte header. Used where only a pointer is known (a registered wrapper).
Result<std::uint64_t> fatbin_size(const void* data);

/// The plain bytes of an entry: a cubin ELF, or PTX text without its terminating NUL.
Result<std::vector<std::byte>> unpack(const FatbinEntry& entry);

}  // namespace lanebank::image
