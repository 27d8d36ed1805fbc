#include <string>

#include "image/byte_reader.hpp"
#include "image/cubin.hpp"

namespace lanebank::image {
namespace {

enum class How { none, no, field, split, clear };

struct RelocationType {
  const char* name = nullptr;
  How how = How::no;
  unsigned value_bit = 0;
  unsigned field_bit = 0;
  unsigned width_bits = 0;
};

constexpr RelocationType relocation_types[] = {
#define LANEBANK_RELOCATION(number, name, how, value_bit, field_bit, width) \
  {"R_CUDA_" #name, How::how, value_bit, field_bit, width},
#include "image/relocations.def"
#undef LANEBANK_RELOCATION
};

constexpr unsigned relocation_numbers[] = {
#define LANEBANK_RELOCATION(number, name, how, value_bit, field_bit, width) number,
#include "image/relocations.def"
#undef LANEBANK_RELOCATION
};

constexpr bool numbers_are_indices() {
  for (unsigned i = 0; i < std::size(relocation_numbers); ++i)
    if (relocation_numbers[i] != i) return false;
  return true;
}
static_assert(numbers_are_indices(), "relocations.def has one row per number, in order");

constexpr unsigned split_bit = 16, split_width_bits = 8;

std::uint64_t low_bits(std::uint64_t value, unsigned count) {
  return count >= 64 ? value : value & ((std::uint64_t(1) << count) - 1);
}

/// Puts `width` bits of `value` at bit `bit` of the little-endian bytes, adding to what stands there
/// when `add` is set. False when they do not lie inside.
bool put_bits(std::vector<std::byte>& bytes, std::uint64_t offset, unsigned bit, unsigned width, std::uint64_t value,
              bool add) {
  if (!fits(offset, (bit + width + 7) / 8, bytes.size())) return false;
  std::byte* start = bytes.data() + offset;
  auto bit_at = [&](unsigned i) { return std::to_integer<unsigned>(start[(bit + i) / 8]) >> ((bit + i) % 8) & 1; };
  if (add) {
    std::uint64_t old = 0;
    for (unsigned i = 0; i < width; ++i) old |= std::uint64_t(bit_at(i)) << i;
    value += old;
  }
  for (unsigned i = 0; i < width; ++i) {
    std::byte mask = std::byte(1u << ((bit + i) % 8));
    std::byte& byte = start[(bit + i) / 8];
    byte = (value >> i & 1) != 0 ? byte | mask : byte & ~mask;
  }
  return true;
}

/// False when the field does not lie inside the section.
bool patch(std::vector<std::byte>& bytes, const Cubin::Relocation& relocation, const RelocationType& type,
           std::uint64_t value) {
  bool add = !relocation.explicit_addend;
  std::uint64_t offset = relocation.offset_bytes;
  switch (type.how) {
    case How::none:
      return true;
    case How::no:
      return false;
    case How::clear:
      return put_bits(bytes, offset, type.field_bit, type.width_bits, 0, false);
    case How::field:
      return put_bits(bytes, offset, type.field_bit, type.width_bits,
                      low_bits(value >> type.value_bit, type.width_bits), add);
    case How::split: {
      value >>= type.value_bit;
      unsigned rest = type.width_bits - split_width_bits;
      return put_bits(bytes, offset, split_bit, split_width_bits, low_bits(value, split_width_bits), add) &&
             put_bits(bytes, offset, type.field_bit, rest, low_bits(value >> split_width_bits, rest), add);
    }
  }
  return false;
}

std::optional<std::uint64_t> address_of(const Cubin& cubin, const Cubin::Relocation& relocation,
                                        const Placement& placement) {
  using Target = Cubin::Relocation::Target;
  switch (relocation.target) {
    case Target::absolute:
      return relocation.target_offset_bytes;
    case Target::code:
      return placement.code_address + relocation.target_offset_bytes;
    case Target::global_initialised:
      return placement.global_initialised_address + relocation.target_offset_bytes;
    case Target::global_zeroed:
      return placement.global_zeroed_address + relocation.target_offset_bytes;
    case Target::constant3:
      if (placement.constant3_address == 0) return std::nullopt;
      return placement.constant3_address + relocation.target_offset_bytes;
    case Target::external:
      if (!placement.external || relocation.symbol >= cubin.symbol_names.size()) return std::nullopt;
      return placement.external(cubin.symbol_names[relocation.symbol]);
    case Target::other_section:
      return std::nullopt;
  }
  return std::nullopt;
}

const char* section_name(Cubin::Relocation::Section section) {
  using Section = Cubin::Relocation::Section;
  switch (section) {
    case Section::code:
      return "code";
    case Section::constant0:
      return "constant bank 0";
    case Section::constant2:
      return "constant bank 2";
    case Section::constant3:
      return "constant bank 3";
    case Section::constant4:
      return "constant bank 4";
    case Section::global_initialised:
      return "initialised global memory";
  }
  return "";
}

std::vector<std::byte>* patched_bytes(Linked& linked, const Cubin::Relocation& relocation) {
  using Section = Cubin::Relocation::Section;
  switch (relocation.section) {
    case Section::code:
      return &linked.code;
    case Section::constant0:
      return relocation.function < linked.constant0.size() ? &linked.constant0[relocation.function] : nullptr;
    case Section::constant2:
      return relocation.function < linked.constant2.size() ? &linked.constant2[relocation.function] : nullptr;
    case Section::constant3:
      return &linked.constant3;
    case Section::constant4:
      return &linked.constant4;
    case Section::global_initialised:
      return &linked.global_initialised;
  }
  return nullptr;
}

Result<void> apply(Linked& linked, const Cubin& cubin, const Cubin::Relocation& relocation,
                   const Placement& placement) {
  std::string symbol = relocation.symbol < cubin.symbol_names.size() ? cubin.symbol_names[relocation.symbol] : "";
  std::string where =
      std::string(section_name(relocation.section)) + " offset " + std::to_string(relocation.offset_bytes);
  if (relocation.type >= std::size(relocation_types))
    return fail("cubin.relocation", where,
                "relocation type " + std::to_string(relocation.type) + " against '" + symbol + "' is not known",
                "please report the program and its toolkit's version");
  const RelocationType& type = relocation_types[relocation.type];
  if (type.how == How::no)
    return fail("cubin.relocation", where, std::string(type.name) + " against '" + symbol + "' is not supported",
                "please report the program and its toolkit's version");
  if (type.how == How::none) return {};
  std::optional<std::uint64_t> address = address_of(cubin, relocation, placement);
  if (!address && type.how != How::clear)
    return fail("cubin.unresolved", where, "nothing defines '" + symbol + "' (" + type.name + ")",
                "the device code uses a function or variable that neither it nor lanebank has");
  std::vector<std::byte>* bytes = patched_bytes(linked, relocation);
  std::uint64_t value = address.value_or(0) + std::uint64_t(relocation.addend);
  if (bytes == nullptr || !patch(*bytes, relocation, type, value))
    return fail("cubin.relocation", where,
                std::string(type.name) + " against '" + symbol + "' lies outside its section",
                "the file is damaged: build it again");
  return {};
}

}  // namespace

Result<Linked> link(const Cubin& cubin, const Placement& placement) {
  Linked linked{cubin.code, cubin.global_initialised, cubin.constant3, cubin.constant4, {}, {}};
  for (const Function& function : cubin.functions) {
    linked.constant0.push_back(function.constant0);
    linked.constant2.push_back(function.constant2);
  }
  for (const Cubin::Relocation& relocation : cubin.relocations)
    if (Result<void> done = apply(linked, cubin, relocation, placement); !done) return tl::unexpected(done.error());
  return linked;
}

}  // namespace lanebank::image
