// What a failing proof shows in the compiler's message: types whose template arguments are the facts.
//
//   error: static assertion failed: bank conflict: two lanes of one instruction want different words of one bank ...
//   ... instantiation of 'struct lanebank::bank_conflict<lanebank::instruction::ldmatrix<4>, lanebank::lanes<0, 1>,
//       lanebank::bank<0>, lanebank::words<0, 32>, lanebank::degree<8>, lanebank::access<0>, Layout, Pattern>'
//
// Read: in access 0 of the pattern (an ldmatrix.x4) lanes 0 and 1 want words 0 and 32 of the tile, both in bank 0; 8 words
// meet there. Word w is the 4 bytes from byte 4 w of the tile; its bank is w mod 32. No layout of the tile's base at a
// multiple of 128 bytes is assumed: other bases rename the banks, and the conflict stays.
//
// These types exist to be read; nothing is to be done with them.
// C++17, no dependencies.
#pragma once

#include <cstdint>

namespace lanebank {

template <unsigned First, unsigned Second>
struct lanes {};
template <unsigned Number>
struct lane {};
template <unsigned Number>
struct bank {};
template <unsigned First, unsigned Second>
struct words {};
template <unsigned Value>
struct degree {};
/// The number of the access in its pattern.
template <unsigned Number>
struct access {};
/// An element of the tile.
template <unsigned Row, unsigned Column>
struct element {};
template <unsigned Value>
struct byte_offset_is {};
template <unsigned Value>
struct wavefronts_are {};
template <unsigned Value>
struct ideal_is {};

namespace instruction {
template <unsigned Bytes>
struct ld {};
template <unsigned Bytes>
struct st {};
template <unsigned Matrices>
struct ldmatrix {};
template <unsigned Matrices>
struct stmatrix {};
template <unsigned Bytes>
struct atom {};
template <unsigned Bytes>
struct atom_cas {};
template <unsigned Bytes>
struct cp_async_ca {};
template <unsigned Bytes>
struct cp_async_cg {};
/// Another AccessKind, by its number.
template <unsigned Kind, unsigned Bytes>
struct other {};
}  // namespace instruction

}  // namespace lanebank
