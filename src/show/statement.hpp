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

#include <string>
#include <vector>

#include "show/place.hpp"
#include "solve/problem.hpp"

namespace lanebank::show {

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

inline constexpr std::size_t statement_limit_characters = 4096;

Result<Statement> parse_statement(const std::string& text, const Scope& scope, Arrays& arrays);

/// "store", "st", "W", "ldmatrix.x4", "ldmatrix_x4_trans", "cp.async.cg", "cas" ...; nullptr if it is none.
const solve::InstructionName* instruction_of(std::string word, unsigned access_bytes);

}  // namespace lanebank::show
