// A decoded instruction, ready to run: one cache line with a function that works on all 32 lanes.
#pragma once

#include <cstdint>

namespace lanebank::machine {

struct Operation;
struct Warp;

/// Executes one operation for the running split of a warp and gives the next one; nullptr hands control
/// back to the scheduler (Warp::stop says why).
using Execute = const Operation* (*)(Warp&, const Operation*);

/// Register operands are row numbers (see Warp::row); the zero rows and sink rows behind the kernel's
/// registers stand for RZ. Predicates are numbers 0..6 P, 7 PT, 8..14 UP, 15 UPT, 16 the sink.
struct alignas(64) Operation {
  Execute execute = nullptr;
  const Operation* target = nullptr;  ///< of a branch
  std::uint32_t instruction = 0;      ///< index into the program
  std::uint32_t guard_flip = 0;       ///< all ones: the guard is negated
  std::uint8_t guard = 7;
  std::uint8_t uniform = 63;  ///< UR of the scalar operand or address; 63 is zero
  std::uint8_t predicate_out[2] = {16, 16};
  std::uint8_t predicate_in[2] = {7, 7};
  std::uint8_t detail[2] = {0, 0};  ///< small numbers of the operation's own
  std::uint32_t predicate_in_flip[2] = {0, 0};
  std::uint16_t d = 0, a = 0, b = 0, c = 0;  ///< register rows
  std::uint32_t immediate[2] = {0, 0};       ///< immediate or constant operand (low, high word)
  std::int32_t offset = 0;                   ///< of an address
  std::uint32_t modifiers = 0;               ///< bits of the operation's own
};
static_assert(sizeof(Operation) == 64);

}  // namespace lanebank::machine
