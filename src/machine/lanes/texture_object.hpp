// What texture and surface instructions share: where their object's handle stands, and the object.
//
//   opcode f..   a uniform register                                                    bits 40:46
//   b.. and 59f  a constant bank: bank 54:59, word 40:54
//   others       a register: the first of a list of registers, before what the list holds else
#pragma once

#include "machine/lanes/access.hpp"
#include "machine/textures.hpp"

namespace lanebank::machine {

/// Raises the fault for a handle that names no object, or memory that is gone.
const Operation* texture_fault(Warp& w, const Operation* op, unsigned lane, std::uint32_t handle,
                               const TextureObject* object);
/// Raises the fault for a surface access outside, of an instruction that does not allow it.
const Operation* surface_fault(Warp& w, const Operation* op, unsigned lane, const Image& image,
                               const std::int64_t (&at)[3], unsigned bytes);

namespace LANEBANK_SIMD {
namespace {

enum class HandleIn : std::uint8_t { constant, uniform, row };

inline HandleIn handle_place(const Lowering& l) {
  const auto form = l.bits(8, 12);
  return form == 0xf ? HandleIn::uniform : form == 0xb || form == 5 ? HandleIn::constant : HandleIn::row;
}

/// Says where the handle is; `row` is its register's when it is in one.
inline void lower_handle(Lowering& l, std::uint16_t row) {
  const HandleIn place = handle_place(l);
  l.op.detail[0] = static_cast<std::uint8_t>(place);
  if (place == HandleIn::constant) l.constant(0, unsigned(l.bits(54, 59)), 4 * unsigned(l.bits(40, 54)));
  if (place == HandleIn::uniform) l.op.uniform = static_cast<std::uint8_t>(l.bits(40, 46));
  if (place == HandleIn::row) l.op.immediate[0] = row;
  if (place == HandleIn::uniform && l.bits(46, 59) != 0) l.unsupported = "a texture handle with an offset";
}

/// The object of a lane's handle, of `kind` (none: of any), whose memory is there; nullptr after a fault.
inline const TextureObject* find_object(Warp& w, const Operation* op, unsigned lane, std::uint32_t handle,
                                        TextureObject::Kind kind) {
  const Textures::Table* table = w.launch->textures.get();
  const TextureObject* object = table != nullptr && handle < table->size() ? &(*table)[handle] : nullptr;
  const bool fits = object != nullptr && object->kind != TextureObject::Kind::none &&
                    (kind == TextureObject::Kind::none || object->kind == kind);
  if (!fits) return texture_fault(w, op, lane, handle, nullptr), nullptr;
  Worker::Hit& hit = w.worker->hits[op->instruction & 63];
  const Image& image = object->image;
  const bool inside = image.address >= hit.first && image.address < hit.end && hit.end - image.address >= image.bytes;
  if (!inside && !find_allocation(*w.launch, image.address, image.bytes, hit))
    return texture_fault(w, op, lane, handle, object), nullptr;
  return object;
}

/// Calls `body(lanes, object)` for the lanes of `mask`, once for each object. `body` gives false after it raised a fault. What
/// the operation returns.
template <class Body>
LANEBANK_INLINE const Operation* each_object(Warp& w, const Operation* op, std::uint32_t mask, TextureObject::Kind kind,
                                             Body body) {
  for (std::uint32_t left = mask; left != 0;) {
    const unsigned first = first_lane(left);
    std::uint32_t handle = op->immediate[0], same = left;
    if (static_cast<HandleIn>(op->detail[0]) == HandleIn::uniform) handle = w.uniform[op->uniform];
    if (static_cast<HandleIn>(op->detail[0]) == HandleIn::row) {
      const std::uint32_t* handles = w.row(op->immediate[0]);
      handle = handles[first];
      for (unsigned i = 0; i < 32; ++i)
        if (handles[i] != handle) same &= ~(1u << i);
    }
    const TextureObject* object = find_object(w, op, first, handle, kind);
    if (object == nullptr || !body(same, *object)) return nullptr;
    left &= ~same;
  }
  return op + 1;
}

}  // namespace
}  // namespace LANEBANK_SIMD
}  // namespace lanebank::machine
