// Surface instructions: SULD, SUST, SURED.
//
// SUST.P takes 32-bit components and converts them to the surface's format: integers are clamped, halves cut towards zero, and
// components that the instruction has not are zero (tests/cudart/hardware/surface_formats.cu).
//
// Coordinates from 24:32 on: x, in bytes with .BA (bit 72) and else in elements; y; the slice or layer. Outside a surface
// (59:61) loads give zeros and stores do nothing, or the nearest place is taken, or the kernel ends.
#include <algorithm>

#include "machine/lanes/combine.hpp"
#include "machine/lanes/texture_object.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

/// Field 61:64 of surface instructions.
enum Shape : unsigned { line, buffer, line_layers, plane, plane_layers, volume, shapes };

/// What a surface access does outside: field 59:61.
enum class Boundary : std::uint8_t { zero = 0, clamp = 1, trap = 2 };

/// The host's address of a surface's bytes; 0 outside, unless `boundary` is clamp. `at`: bytes from the start of the row, the
/// row, the slice or layer.
std::uint64_t surface_place(const Image& image, const std::int64_t (&at)[3], unsigned bytes, Boundary boundary) {
  const std::int64_t row = std::int64_t{image.width} * image.format.bytes();
  const std::int64_t last[3] = {row - bytes, std::int64_t{image.height} - 1,
                                std::int64_t{std::max(image.depth, image.layers)} - 1};
  std::uint64_t place[3];
  for (unsigned n = 0; n < 3; ++n) {
    const bool inside = at[n] >= 0 && at[n] <= last[n];
    if (!inside && (boundary != Boundary::clamp || last[n] < 0)) return 0;
    place[n] = static_cast<std::uint64_t>(at[n] < 0 ? 0 : at[n] > last[n] ? last[n] : at[n]);
  }
  return image.address + place[2] * image.slice_bytes + place[1] * image.row_bytes + place[0];
}

/// Calls `body(lane, address, format)` for each lane, with address 0 where nothing shall be done. `wanted`: bytes of an access;
/// 0: those of an element.
template <class Body>
LANEBANK_INLINE const Operation* surface_lanes(Warp& w, const Operation* op, std::uint32_t mask, unsigned wanted,
                                               Body body) {
  const unsigned shape = op->modifiers & 7;
  const auto boundary = static_cast<Boundary>(op->modifiers >> 3 & 3);
  const bool in_bytes = (op->modifiers >> 5 & 1) != 0;
  const bool has_y = shape >= plane, has_z = shape == line_layers || shape >= plane_layers;
  return each_object(w, op, mask, TextureObject::Kind::surface, [&](std::uint32_t lanes, const TextureObject& object) {
    const unsigned bytes = wanted != 0 ? wanted : object.image.format.bytes();
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
      const unsigned i = first_lane(left);
      unsigned next = op->a;
      auto coordinate = [&] { return std::int64_t{static_cast<std::int32_t>(w.row(next++)[i])}; };
      std::int64_t at[3] = {coordinate() * (in_bytes ? 1 : object.image.format.bytes()), 0, 0};
      if (has_y) at[1] = coordinate();
      if (has_z) at[2] = coordinate();
      if (at[0] % bytes != 0) return misaligned_fault(w, op, i, static_cast<std::uint64_t>(at[0]), bytes), false;
      const std::uint64_t address = surface_place(object.image, at, bytes, boundary);
      if (address == 0 && boundary == Boundary::trap) return surface_fault(w, op, i, object.image, at, bytes), false;
      body(i, address, object.image.format);
    }
    return true;
  });
}

template <unsigned type>
const Operation* load_surface(Warp& w, const Operation* op) {
  static constexpr std::uint8_t zeros[16] = {};
  const std::uint32_t mask = begin(w, op);
  std::uint32_t* d = w.row(op->d);
  const Operation* next = surface_lanes(
      w, op, mask, type_bytes<type>, [&](unsigned i, std::uint64_t address, const numerics::TexelFormat&) {
        load_lane<type>(address == 0 ? zeros : reinterpret_cast<const std::uint8_t*>(address), d, i);
      });
  if (next != nullptr) set_predicate(w, op, 0, mask, 0);
  return next;
}

template <unsigned type>
const Operation* store_surface(Warp& w, const Operation* op) {
  const std::uint32_t* s = w.row(op->b);
  ++w.stores;
  return surface_lanes(w, op, begin(w, op), type_bytes<type>,
                       [&](unsigned i, std::uint64_t address, const numerics::TexelFormat&) {
                         if (address != 0) store_lane<type>(reinterpret_cast<std::uint8_t*>(address), s, i);
                       });
}

/// A component as the format holds it.
std::uint32_t converted(const numerics::TexelFormat& format, std::uint32_t word) {
  using Kind = numerics::TexelFormat::Kind;
  const unsigned bits = format.component_bits;
  if (bits == 32) return word;
  if (format.kind == Kind::unsigned_integer) return std::min(word, (1u << bits) - 1);
  if (format.kind == Kind::signed_integer) {
    const std::int32_t most = (1 << (bits - 1)) - 1;
    return static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(word), -most - 1, most));
  }
  // Cut: a NaN keeps the upper bits of its fraction.
  const std::uint32_t sign = word >> 16 & 0x8000, magnitude = word & 0x7fffffff;
  if (magnitude >= 0x7f800000) return sign | 0x7c00 | (magnitude >> 13 & 0x3ff);
  if (magnitude >= 0x47800000) return sign | 0x7bff;
  if (magnitude >= 0x38800000) return sign | ((magnitude - 0x38000000) >> 13);
  const unsigned exponent = magnitude >> 23, shift = 126 - exponent;  // of a subnormal half: units of 2^-24
  return sign | (shift > 24 ? 0 : ((magnitude & 0x7fffff) | 0x800000) >> shift);
}

/// SUST.P of 1, 2 or 4 components.
template <unsigned components>
const Operation* store_converted(Warp& w, const Operation* op) {
  ++w.stores;
  return surface_lanes(w, op, begin(w, op), 0,
                       [&](unsigned i, std::uint64_t address, const numerics::TexelFormat& format) {
                         const unsigned bytes = format.component_bits / 8u;
                         for (unsigned c = 0; address != 0 && c < format.components; ++c) {
                           const std::uint32_t word = c < components ? converted(format, w.row(op->b + c)[i]) : 0;
                           std::memcpy(reinterpret_cast<std::uint8_t*>(address) + std::size_t{bytes} * c, &word, bytes);
                         }
                       });
}

const Operation* reduce_surface(Warp& w, const Operation* op) {
  const unsigned operation = op->modifiers >> 6 & 15;
  const auto value = static_cast<Value>(op->modifiers >> 10 & 15);
  const unsigned bytes = bytes_of(value);
  const std::uint32_t* low = w.row(op->b);
  ++w.stores;
  return surface_lanes(
      w, op, begin(w, op), bytes, [&](unsigned i, std::uint64_t address, const numerics::TexelFormat&) {
        if (address == 0) return;
        const std::uint64_t operand = low[i] | (bytes == 8 ? std::uint64_t{low[32 + i]} << 32 : 0);
        change_global(address, bytes,
                      [&](std::uint64_t old) { return combine(operation, value, value == Value::f32, old, operand); });
      });
}

void lower_surface(Lowering& l) {
  const auto shape = unsigned(l.bits(61, 64));
  const unsigned coordinates = shape <= buffer ? 1 : shape <= plane ? 2 : 3;
  l.op.a = l.a(coordinates);
  lower_handle(l, handle_place(l) == HandleIn::row ? l.source(unsigned(l.bits(64, 72))) : std::uint16_t{0});
  l.op.modifiers = shape | unsigned(l.bits(59, 61)) << 3 | unsigned(l.bit(72)) << 5;
  if (shape >= shapes) l.unsupported = "a surface of this shape";
  if (l.bits(59, 61) == 3) l.unsupported = "a surface access with this rule for what is outside";
}

constexpr Execute loads[7] = {load_surface<u8>,  load_surface<s8>,  load_surface<u16>, load_surface<s16>,
                              load_surface<b32>, load_surface<b64>, load_surface<b128>};
constexpr Execute stores[7] = {store_surface<u8>,  store_surface<s8>,  store_surface<u16>, store_surface<s16>,
                               store_surface<b32>, store_surface<b64>, store_surface<b128>};
constexpr unsigned registers_of(unsigned type) { return type <= b32 ? 1 : type == b64 ? 2 : 4; }

}  // namespace

void lower_SULD(Lowering& l) {
  const auto type = unsigned(l.bits(73, 76));
  lower_surface(l);
  if (type > b128) return void(l.unsupported = "a surface access of this width");
  l.op.d = l.d(registers_of(type));
  l.op.predicate_out[0] = Lowering::predicate_destination(unsigned(l.bits(81, 84)));
  l.op.execute = loads[type];
}

void lower_SUST(Lowering& l) {
  const auto type = unsigned(l.bits(73, 76));
  lower_surface(l);
  if (type > b128) return void(l.unsupported = "a surface access of this width");
  l.op.b = l.source(unsigned(l.bits(32, 40)), registers_of(type));
  l.op.execute = stores[type];
}

void lower_SUST_P(Lowering& l) {
  lower_surface(l);
  l.op.modifiers &= ~(1u << 5);  // coordinates count elements: bit 72 names a component
  const auto components = unsigned(l.bits(72, 76));
  const unsigned count = components == 1 ? 1 : components == 3 ? 2 : 4;
  l.op.b = l.source(unsigned(l.bits(32, 40)), count);
  l.op.execute = count == 1 ? &store_converted<1> : count == 2 ? &store_converted<2> : &store_converted<4>;
  if (components != 1 && components != 3 && components != 15) l.unsupported = "a surface store of these components";
}

void lower_SURED(Lowering& l) {
  constexpr Value values[6] = {Value::u32, Value::s32, Value::u64, Value::f32, Value::f16x2, Value::s64};
  const auto type = unsigned(l.bits(73, 76)), operation = unsigned(l.bits(87, 90));
  lower_surface(l);
  if (type > 5) return void(l.unsupported = "a surface reduction of this type");
  const Value value = values[type];
  if (value >= Value::f32 && operation != add) l.unsupported = "a surface reduction of this kind";
  l.op.b = l.source(unsigned(l.bits(32, 40)), bytes_of(value) / 4);
  l.op.modifiers |= operation << 6 | static_cast<unsigned>(value) << 10;
  l.op.execute = reduce_surface;
}

}  // namespace lanebank::machine::LANEBANK_SIMD
