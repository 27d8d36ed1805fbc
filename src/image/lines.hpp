// The line table of a cubin: DWARF 2 line programs with NVIDIA's two additions for inlined calls.
//
// A program makes rows (address, file, line). The extended opcode 0x90 {context, name} says that the rows
// which follow are of an inlined function: `name` is its place in .debug_str, `context` the number of the
// row (counted from 1 in this sequence) that holds the call; 0 ends inlining. 0x91 {name} names the function
// without a call. One sequence is one function; the relocation of its start address says which.
#pragma once

#include <vector>

#include "base/diagnostic.hpp"
#include "image/cubin.hpp"
#include "image/elf.hpp"
#include "image/sections.hpp"

namespace lanebank::image {

/// Fills `lines` and `ptx_lines` of every function of `cubin`. A version that is not known becomes a warning; a table
/// that contradicts itself is an error.
Result<void> read_lines(const Elf& elf, const std::vector<ClassifiedSection>& roles, Cubin& cubin);

}  // namespace lanebank::image
