// One access to shared memory as CUDA code writes it: which instruction, how wide, and the address of each thread.
//
//   s[2*tid]                          tile[ty][tx ^ ty]                  tile[tx][ty] = in[i]        (a store)
//   ((float4*)tile)[tid]              *(float4*)&tile[r][4 * c]          reinterpret_cast<float4*>(&tile[r][c])[0]
//   (float*)(smem + 1024) + tid       atomicAdd(&bins[x], 1)             &tile[lane % 16][lane / 16 * 8]
//
// In front may stand a name: 'W: tile[ty][tx]', and at its end an instruction: 'store A: ..', 'A ldmatrix_x4: ..'. W, write
// and store mean a store; R, read and load a load.
//
// address(thread) = base of the array + constant + sum of index x scale, in bytes. One index on an array of two or more
// dimensions counts elements of the whole array, as if it were written out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "show/array.hpp"
#include "solve/problem.hpp"

namespace lanebank::show {

/// index x scale bytes.
struct Term {
  Arithmetic index;
  std::uint32_t scale_bytes = 0;
  std::uint32_t limit = 0;  ///< the index must be below; 0: no limit known
};

struct Statement {
  std::string source;                                   ///< as given; columns of messages count in it
  std::string text;                                     ///< without the name
  std::string name;                                     ///< as given, or the text
  const solve::InstructionName* instruction = nullptr;  ///< nullptr: the text says none
  std::size_t array = 0;                                ///< index of `Arrays`
  const ElementType* type = nullptr;                    ///< of what is accessed, after casts
  std::vector<Term> terms;
  std::int64_t constant_bytes = 0;
};

/// The declared arrays, and those that were guessed from expressions (f32; 32x32 where two indices stand).
class Arrays {
 public:
  Arrays() = default;
  explicit Arrays(std::vector<Array> given) : arrays_(std::move(given)), given_(arrays_.size()) {}
  const std::vector<Array>& all() const { return arrays_; }
  Array& at(std::size_t index) { return arrays_[index]; }
  /// nullopt: arrays are declared, but none of this name.
  std::optional<std::size_t> find(const std::string& name, std::size_t index_count);

 private:
  std::vector<Array> arrays_;
  std::size_t given_ = 0;
};

inline constexpr std::size_t statement_limit_characters = 4096;

Result<Statement> parse_statement(const std::string& text, const Scope& scope, Arrays& arrays);

/// "store", "st", "W", "ldmatrix.x4", "ldmatrix_x4_trans", "cp.async.cg", "cas" ...; nullptr if it is none.
const solve::InstructionName* instruction_of(std::string word, unsigned access_bytes);

}  // namespace lanebank::show
