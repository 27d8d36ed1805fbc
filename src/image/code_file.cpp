#include "image/code_file.hpp"

#include <elf.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "image/cubin.hpp"

namespace lanebank::image {
namespace {

constexpr std::uint32_t fatbin_magic = 0xba55ed50;
constexpr std::uint16_t of_a_gpu = 190;  // EM_CUDA

template <class T>
void put(std::vector<std::byte>& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

bool begins_with(Bytes bytes, const void* magic, std::size_t magic_bytes) {
  return bytes.size() >= magic_bytes && std::memcmp(bytes.data(), magic, magic_bytes) == 0;
}

bool is_host_program(Bytes elf) {
  Elf64_Ehdr header;
  if (elf.size() < sizeof header) return false;
  std::memcpy(&header, elf.data(), sizeof header);
  return header.e_machine != of_a_gpu;
}

/// `where`, of the file `name`.
Diagnostic placed(Diagnostic diagnostic, const std::string& name) {
  diagnostic.where = name + (diagnostic.where.empty() ? "" : ", ") + diagnostic.where;
  return diagnostic;
}

}  // namespace

CodeTarget ptx_target(std::string_view ptx) {
  CodeTarget target;
  const std::size_t at = ptx.find(".target");
  std::size_t digit = at == std::string_view::npos ? ptx.size() : ptx.find("sm_", at);
  if (digit >= ptx.size()) return target;
  constexpr unsigned limit = 10000;
  for (digit += 3; digit < ptx.size() && std::isdigit(static_cast<unsigned char>(ptx[digit])); ++digit)
    target.architecture = std::min(limit, 10 * target.architecture + static_cast<unsigned>(ptx[digit] - '0'));
  target.architecture_specific = digit < ptx.size() && ptx[digit] == 'a';
  return target;
}

std::vector<std::byte> make_fatbin(FatbinEntry::Kind kind, const CodeTarget& target, Bytes payload) {
  constexpr std::size_t head = 16, entry_head = 64;
  constexpr std::uint64_t flag_64_bit = 1, flag_linux = 1u << 4, flag_specific = 1u << 20;
  const std::size_t padded = (payload.size() + 8) / 8 * 8;  // PTX text ends with a NUL
  std::vector<std::byte> bytes(head + entry_head + padded);
  put<std::uint32_t>(bytes, 0, fatbin_magic);
  put<std::uint16_t>(bytes, 4, 1);
  put<std::uint16_t>(bytes, 6, head);
  put<std::uint64_t>(bytes, 8, entry_head + padded);
  put<std::uint16_t>(bytes, head, kind == FatbinEntry::Kind::ptx ? 1 : 2);
  put<std::uint16_t>(bytes, head + 2, 0x0101);
  put<std::uint32_t>(bytes, head + 4, entry_head);
  put<std::uint64_t>(bytes, head + 8, padded);
  put<std::uint32_t>(bytes, head + 28, target.architecture);
  put<std::uint64_t>(bytes, head + 40, flag_64_bit | flag_linux | (target.architecture_specific ? flag_specific : 0));
  std::copy(payload.begin(), payload.end(), bytes.begin() + head + entry_head);
  return bytes;
}

Result<std::vector<std::byte>> fatbin_of_file(Bytes file, const std::string& name) {
  constexpr std::uint32_t magic = fatbin_magic;
  if (begins_with(file, &magic, sizeof magic)) return std::vector<std::byte>(file.begin(), file.end());
  if (begins_with(file, ELFMAG, SELFMAG)) {
    if (is_host_program(file))
      return fail("code.host", name, "is a host program or object, not machine code of a GPU",
                  "Give the .cu file, or what `nvcc -cubin` or `cuobjdump -xelf all` makes; a whole program runs under "
                  "`lanebank run`.");
    auto cubin = read_cubin(file);
    if (!cubin) return tl::unexpected(placed(std::move(cubin.error()), name));
    return make_fatbin(FatbinEntry::Kind::cubin, {cubin->architecture, cubin->architecture_specific}, file);
  }
  const auto* text = reinterpret_cast<const char*>(file.data());
  const std::string_view ptx(text, strnlen(text, file.size()));
  if (const CodeTarget target = ptx_target(ptx); target.architecture != 0)
    return make_fatbin(FatbinEntry::Kind::ptx, target, file.first(ptx.size()));
  return fail("code.unknown", name, "is neither a cubin nor a fatbin nor PTX text",
              "`nvcc -cubin -arch=sm_90 -lineinfo kernel.cu` makes a cubin.");
}

}  // namespace lanebank::image
