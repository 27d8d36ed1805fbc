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

LANEBANK_INLINE std::uint32_t handle_of(Warp& w, const Operation* op, unsigned lane) {
  switch (static_cast<HandleIn>(op->detail[0])) {
    case HandleIn::constant:
      return op->immediate[0];
    case HandleIn::uniform:
      return w.uniform[op->uniform];
    case HandleIn::row:
      break;
  }
  return w.row(op->immediate[0])[lane];
}

/// Calls `body(lane, object)` for the lanes of `mask`, whose objects are of `kind` (none: of any) and whose memory is there.
/// `body` gives false after it raised a fault. What the operation returns.
template <class Body>
LANEBANK_INLINE const Operation* each_lane(Warp& w, const Operation* op, std::uint32_t mask, TextureObject::Kind kind,
                                           Body body) {
  const TextureObject* object = nullptr;
  std::uint32_t found = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    const std::uint32_t handle = handle_of(w, op, i);
    if (object == nullptr || handle != found) {
      const Textures::Table* table = w.launch->textures.get();
      object = table != nullptr && handle < table->size() ? &(*table)[handle] : nullptr;
      if (object != nullptr && (object->kind == TextureObject::Kind::none ||
                                (kind != TextureObject::Kind::none && object->kind != kind)))
        object = nullptr;
      if (object == nullptr) return texture_fault(w, op, i, handle, nullptr);
      Worker::Hit& hit = w.worker->hits[op->instruction & 63];
      const Image& image = object->image;
      const bool inside = image.address >= hit.first && image.address < hit.end && hit.end - image.address >= image.bytes;
      if (!inside && !find_allocation(*w.launch, image.address, image.bytes, hit))
        return texture_fault(w, op, i, handle, object);
      found = handle;
    }
    if (!body(i, *object)) return nullptr;
  }
  return op + 1;
}

}  // namespace
}  // namespace LANEBANK_SIMD
}  // namespace lanebank::machine
