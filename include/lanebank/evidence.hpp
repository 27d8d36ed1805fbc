// What a failing proof shows in the compiler's message: types whose template arguments are the facts.
//
//   error: static assertion failed: bank conflict: two lanes of one instruction want different words of one bank ...
//   ... instantiation of 'struct lanebank::bank_conflict<lanebank::instruction::ldmatrix<4>, evidence::lanes<0, 1>,
//       evidence::bank<0>, evidence::words<0, 32>, evidence::degree<8>, evidence::access<0>, Layout, Pattern>'
//
// Read: in access 0 of the pattern (an ldmatrix.x4) lanes 0 and 1 want words 0 and 32 of the tile, both in bank 0; 8 words
// meet there. Word w is the 4 bytes from byte 4 w of the tile; banks are counted from the tile's base, so bank = w mod 32.
// A base that is no multiple of 128 bytes renames the banks, and the conflict stays.
//
// These types exist to be read; nothing is to be done with them.
// C++17, no dependencies.
#pragma once

#include <cstdint>

namespace lanebank {
namespace evidence {

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
/// The size of a vector.
template <unsigned Value>
struct bytes {};
template <unsigned Value>
struct byte_offset_is {};
template <unsigned Value>
struct wavefronts_are {};
template <unsigned Value>
struct ideal_is {};
/// Wavefronts that a proof claimed, and that there are.
template <unsigned Wavefronts>
struct claimed {};
template <unsigned Wavefronts>
struct counted {};
struct no_conflict {};

}  // namespace evidence

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
