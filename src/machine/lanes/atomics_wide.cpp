// Exchanges and compare-and-swaps of 16 bytes in shared and global memory. Source: tests/cudart/hardware/wide_atomics.cu.
#include "machine/lanes/atomics_wide.hpp"

#include "machine/lanes/access.hpp"

#if !defined(__x86_64__)
#include <mutex>
#endif

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

struct Quad {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Quad&) const = default;
};

Quad operand_of(const std::uint32_t* row, unsigned lane) {
  return {row[lane] | std::uint64_t{row[lane + 32]} << 32, row[lane + 64] | std::uint64_t{row[lane + 96]} << 32};
}

/// Changes 16 bytes that other workers may change, too; gives what they were.
template <class Change>
Quad change_global(std::uint64_t address, Change change) {
  Quad old;
#if defined(__x86_64__)
  auto* place = reinterpret_cast<volatile std::uint64_t*>(address);
  old = {place[0], place[1]};
  bool done = false;  // the instruction sets it
  // NOLINTNEXTLINE(bugprone-infinite-loop)
  do {
    const Quad now = change(old);
    asm volatile("lock cmpxchg16b %[place]"
                 : [place] "+m"(*reinterpret_cast<volatile Quad*>(address)), "=@ccz"(done), "+a"(old.low),
                   "+d"(old.high)
                 : "b"(now.low), "c"(now.high)
                 : "memory");
  } while (!done);
#else
  // Atomic among accesses of 16 bytes alone.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::memcpy(&old, reinterpret_cast<const void*>(address), 16);
  const Quad now = change(old);
  std::memcpy(reinterpret_cast<void*>(address), &now, 16);
#endif
  return old;
}

/// Memory that nobody else sees.
template <class Change>
Quad change_private(std::uint8_t* place, Change change) {
  Quad old;
  std::memcpy(&old, place, 16);
  const Quad now = change(old);
  std::memcpy(place, &now, 16);
  return old;
}

/// One lane's operation on 16 bytes reached through `apply(change)`; gives what they were.
template <class Apply>
Quad run_lane(Warp& w, const Operation* op, unsigned lane, Apply apply) {
  const Quad operand = operand_of(w.row(op->b), lane);
  if ((op->detail[1] & wide_compares) == 0) {
    ++w.stores;
    return apply([&](const Quad&) { return operand; });
  }
  const Quad replacement = operand_of(w.row(op->c), lane);
  const Quad old = apply([&](const Quad& value) { return value == operand ? replacement : value; });
  if (old == operand && replacement != operand) ++w.stores;
  return old;
}

/// The operation of each lane of the mask, one after another, on 16 bytes reached through `reach(lane, change)`; the destination
/// gets what they were.
template <class Reach>
void run_lanes(Warp& w, const Operation* op, std::uint32_t mask, Reach reach) {
  Quad results[32];
  each_lane(mask, [&](unsigned i) { results[i] = run_lane(w, op, i, [&](auto change) { return reach(i, change); }); });
  std::uint32_t* d = w.row(op->d);
  each_lane(mask, [&](unsigned i) {
    d[i] = static_cast<std::uint32_t>(results[i].low);
    d[i + 32] = static_cast<std::uint32_t>(results[i].low >> 32);
    d[i + 64] = static_cast<std::uint32_t>(results[i].high);
    d[i + 96] = static_cast<std::uint32_t>(results[i].high >> 32);
  });
}

SharedKind kind_of(const Operation* op) {
  return (op->detail[1] & wide_compares) != 0 ? SharedKind::atomic_cas : SharedKind::atomic;
}

}  // namespace

const Operation* atomic_wide_shared(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) {
    publish_shared(w, {.instruction = op->instruction, .kind = kind_of(op), .lane_bytes = 16});
    return op + 1;
  }
  const std::uint32_t base = static_cast<std::uint32_t>(op->offset) + w.uniform[op->uniform] - w.shared_window;
  const Addresses32 addresses(w.row(op->a), base, op->detail[0], mask);
  for (std::uint32_t left = addresses.inside<16>(w.shared_bytes) ? 0 : mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    const std::uint32_t window = addresses.at[i] + w.shared_window;
    if (addresses.at[i] % 16 != 0) return misaligned_fault(w, op, i, window, 16);
    if (addresses.at[i] > w.shared_bytes || w.shared_bytes - addresses.at[i] < 16)
      return shared_fault(w, op, i, window, 16);
  }
  publish_shared(
      w,
      {.instruction = op->instruction, .kind = kind_of(op), .lane_bytes = 16, .mask = mask, .addresses = addresses.at});
  run_lanes(w, op, mask, [&](unsigned i, auto change) { return change_private(w.shared + addresses.at[i], change); });
  return op + 1;
}

const Operation* atomic_wide_global(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  Addresses64 addresses;
  global_addresses(w, op, addresses);
  addresses.fill_inactive(mask);
  if (!check_global<16>(w, op, addresses, mask, true)) return nullptr;
  publish_global(w, {op->instruction, GlobalKind::atomic, 16, mask, addresses.at});
  run_lanes(w, op, mask, [&](unsigned i, auto change) { return change_global(addresses.at[i], change); });
  set_predicate(w, op, 0, mask, 0);
  return op + 1;
}

/// Generic ones work on shared memory, too: compilers write no other way beside them.
const Operation* atomic_wide_generic(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  Addresses64 addresses;
  global_addresses(w, op, addresses);
  addresses.fill_inactive(mask);
  std::uint32_t shared_lanes = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    const Window window = window_of(addresses.at[i]);
    if (window == Window::local)
      return raise_fault(w, op, Fault::Kind::illegal_address, i, addresses.at[i],
                         "an atomic operation on local memory");
    if (window == Window::shared) shared_lanes |= 1u << i;
  }
  const std::uint32_t global_lanes = mask & ~shared_lanes;
  if (shared_lanes != 0) {
    SharedLanes shared;
    if (!shared.find(w, op, addresses, shared_lanes, 16)) return nullptr;
    publish_shared(w, shared.access(op, kind_of(op), 16));
  }
  if (global_lanes != 0) {
    Addresses64 globals = addresses;
    globals.fill_inactive(global_lanes);
    if (!check_global<16>(w, op, globals, global_lanes, true)) return nullptr;
    publish_global(w, {op->instruction, GlobalKind::atomic, 16, global_lanes, globals.at});
  }
  run_lanes(w, op, mask, [&](unsigned i, auto change) {
    if ((shared_lanes >> i & 1) == 0) return change_global(addresses.at[i], change);
    return change_private(shared_pointer(w, static_cast<std::uint32_t>(addresses.at[i]), 16), change);
  });
  set_predicate(w, op, 0, mask, mask);
  return op + 1;
}

}  // namespace lanebank::machine::LANEBANK_SIMD
