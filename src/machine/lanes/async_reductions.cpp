// Reductions that the copy engine and stores to other blocks carry out: UBLKRED, UTMAREDG, REDAS. As copies, they are done
// when they are issued.
#include "machine/lanes/access.hpp"
#include "machine/lanes/combine.hpp"
#include "machine/tensor_copy.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

/// Type field of UBLKRED (81:85): value and whether subnormals are flushed.
struct BulkType {
  Value value;
  bool flush;
};
constexpr BulkType bulk_types[] = {{Value::u32, false}, {Value::s32, false},   {Value::u64, false},
                                   {Value::s64, false}, {Value::f16x2, false}, {Value::f32, false},
                                   {Value::f32, true},  {Value::f64, false},   {Value::bf16x2, false}};

/// UBLKRED: words of global memory with those of shared memory. detail[0]: the uniform register of the source; detail[1]:
/// type; modifiers: the operation, and from bit 8 on the uniform register with the number of 16-byte units.
const Operation* bulk_reduction(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  publish_shared(w, {.instruction = op->instruction, .kind = SharedKind::bulk_copy, .lane_bytes = 16});
  if (mask == 0) return op + 1;
  const unsigned lane = first_lane(mask), operation = op->modifiers & 15;
  const BulkType type = bulk_types[op->detail[1]];
  const std::uint64_t target = w.uniform[op->uniform] | std::uint64_t{w.uniform[op->uniform + 1]} << 32;
  const std::uint32_t source = w.uniform[op->detail[0]], bytes = (w.uniform[op->modifiers >> 8] & 0xffff) * 16;
  for (const std::uint64_t address : {target, std::uint64_t{source}})
    if (address % 16 != 0) return misaligned_fault(w, op, lane, address, 16);
  const std::uint8_t* from = shared_pointer(w, source, bytes);
  if (from == nullptr) return shared_fault(w, op, lane, source, bytes);
  Worker::Hit hit;
  if (bytes != 0 && !find_allocation(*w.launch, target, bytes, hit))
    return global_fault(w, op, lane, target, bytes, true);
  publish_range(w, {op->instruction, true, target, bytes});
  ++w.stores;
  const unsigned step = bytes_of(type.value);
  for (std::uint32_t at = 0; at < bytes; at += step) {
    std::uint64_t operand = 0;
    std::memcpy(&operand, from + at, step);
    change_global(target + at, step,
                  [&](std::uint64_t old) { return combine(operation, type.value, type.flush, old, operand); });
  }
  return op + 1;
}

/// REDAS: a reduction in shared memory of the cluster that completes bytes on a barrier there. R24 holds the address, the
/// register after it that of the barrier.
const Operation* reduce_async(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const Value value = static_cast<Value>(op->detail[1]);
  const unsigned bytes = bytes_of(value);
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    const std::uint32_t window = w.row(op->a)[i], barrier = w.row(op->a)[i + 32];
    if (window % bytes != 0) return misaligned_fault(w, op, i, window, bytes);
    std::uint8_t* place = shared_pointer(w, window, bytes);
    if (place == nullptr) return shared_fault(w, op, i, window, bytes);
    std::uint64_t old = 0, operand = w.row(op->b)[i];
    if (bytes == 8) operand |= std::uint64_t{w.row(op->b)[i + 32]} << 32;
    std::memcpy(&old, place, bytes);
    const std::uint64_t now = combine(op->modifiers, value, false, old, operand);
    std::memcpy(place, &now, bytes);
    if (!complete_bytes(w, op, i, barrier, bytes)) return nullptr;
  }
  if (mask != 0) ++w.stores;
  return op + 1;
}

}  // namespace

void lower_UBLKRED(Lowering& l) {
  l.op.uniform = static_cast<std::uint8_t>(l.bits(32, 38));
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(24, 30));
  const unsigned operation = unsigned(l.bits(87, 90)), type = unsigned(l.bits(81, 85));
  l.op.modifiers = operation | unsigned(l.bits(64, 70)) << 8;
  if (type >= std::size(bulk_types) || l.bit(73) || !l.bit(74)) {
    l.unsupported = l.bit(73) ? "a bulk reduction in shared memory: an H200 ended it with illegal instruction"
                              : "a bulk reduction of this form";
    return;
  }
  l.op.detail[1] = static_cast<std::uint8_t>(type);
  const bool real = bulk_types[type].value >= Value::f32, halves = bulk_types[type].value >= Value::f16x2;
  if (real && (operation > max_ || (operation != add && !halves))) l.unsupported = "a bulk reduction of this kind";
  l.op.execute = &bulk_reduction;
}

void lower_REDAS(Lowering& l) {
  constexpr Value values[4] = {Value::u32, Value::s32, Value::u64, Value::s64};
  const unsigned type = unsigned(l.bits(73, 76)), operation = unsigned(l.bits(87, 91));
  if (type > 3 || operation > xor_ || !l.bit(72) || l.bits(64, 70) != 63 || l.bits(40, 64) != 0) {
    l.unsupported = "an asynchronous reduction of this form";
    return;
  }
  l.op.a = l.a(2);
  l.op.b = l.source(unsigned(l.bits(32, 40)), bytes_of(values[type]) / 4);
  l.op.detail[1] = static_cast<std::uint8_t>(values[type]);
  l.op.modifiers = operation;
  l.op.execute = &reduce_async;
}

}  // namespace lanebank::machine::LANEBANK_SIMD
