// A cubin: the machine code of one architecture with all that a launch needs to know about it.
//
//   read_cubin(bytes)  ->  Cubin      what the file says (functions, variables, constants, lines, arrays)
//   link(cubin, place) ->  Linked     code and constant banks with all addresses filled in
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace lanebank::image {

using Bytes = std::span<const std::byte>;

/// A shared array, by its place in the block's static shared memory.
struct SharedArray {
  std::string name;                ///< as in the source: "tile"; "unknown" is never used, see Function::arrays_known
  std::string symbol;              ///< as in the PTX
  std::uint32_t offset_bytes = 0;  ///< from the first static shared byte of the kernel (reserved bytes not counted)
  std::uint32_t size_bytes = 0;    ///< 0 for an extern (dynamic) array
  std::uint32_t element_bytes = 1;
  std::uint32_t alignment_bytes = 1;
  bool dynamic = false;  ///< extern __shared__
};

/// One kernel parameter, offsets from the first parameter byte.
struct Parameter {
  std::uint32_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;
};

/// A source position.
struct SourcePosition {
  std::string file;  ///< as recorded by the compiler (may be absolute)
  std::uint32_t line = 0;
  std::string function;  ///< the inlined function that holds the line, demangled; empty if not inlined
};

/// Line table of one function. Rows are sorted by code offset, one per offset, valid up to the next one.
/// Positions form a forest: `inlined_at` leads to the position of the call, which stands before it.
struct LineTable {
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Row {
    std::uint32_t offset_bytes;  ///< from the start of the function
    std::uint32_t position;      ///< index into positions
  };
  struct Position {
    std::uint32_t file;  ///< index into texts
    std::uint32_t line;
    std::uint32_t function;    ///< index into texts (mangled), or none
    std::uint32_t inlined_at;  ///< index into positions, or none
    bool operator==(const Position&) const = default;
  };
  std::vector<Row> rows;
  std::vector<Position> positions;
  std::shared_ptr<const std::vector<std::string>> texts;  ///< of the whole cubin

  bool empty() const { return rows.empty(); }
  /// Where the instruction at `offset_bytes` comes from, innermost first: [0] is its own line, each next
  /// one the call that inlined it. Empty when the table does not say.
  std::vector<SourcePosition> find(std::uint32_t offset_bytes) const;
};

/// A function of the cubin: a kernel, or a device function with a section of its own.
struct Function {
  std::string symbol;
  bool kernel = false;
  std::uint32_t code_offset_bytes = 0;  ///< of its section in Cubin::code; addresses in reports are relative to it
  std::uint32_t code_bytes = 0;
  std::uint32_t registers = 0;
  std::uint32_t barriers = 0;
  std::uint32_t static_shared_bytes = 0;          ///< arrays only, reserved bytes not counted
  std::uint32_t frame_bytes = 0;                  ///< local memory the function itself needs
  std::uint32_t stack_bytes = 0;                  ///< minimum stack with callees; 0 also where recursion leaves it open
  std::uint32_t max_threads_per_block = 0;        ///< from __launch_bounds__, 0 unknown
  std::uint32_t required_cluster[3] = {0, 0, 0};  ///< __cluster_dims__, 0 none
  std::uint32_t parameter_base_bytes = 0;         ///< 0x210 on sm_90
  std::uint32_t parameter_bytes = 0;
  std::vector<Parameter> parameters;  ///< by ordinal
  std::vector<std::byte> constant0;   ///< initial image of its constant bank 0 (parameters zero)
  std::vector<std::byte> constant2;   ///< compiler constants of this kernel, before relocation
  std::vector<SharedArray> arrays;    ///< by offset; dynamic ones last
  bool arrays_known = false;          ///< names found and their sizes agree with the section
  LineTable lines;
  LineTable ptx_lines;  ///< lines of Cubin::ptx_text, where one translation unit's is embedded
};

/// A `__device__`, `__constant__` or `__managed__` variable, or an unnamed piece of .nv.global(.init).
struct Variable {
  enum class Space { global, constant };
  std::string symbol;
  Space space = Space::global;
  std::uint64_t size_bytes = 0;
  std::uint64_t alignment_bytes = 1;
  std::uint64_t offset_bytes = 0;  ///< constant: in bank 3; global: in its section image
  bool is_initialised = false;     ///< in .nv.global.init, not .nv.global
  bool is_managed = false;         ///< __managed__
  bool is_local = false;           ///< visible to its own translation unit only; names may repeat
};

struct Cubin {
  unsigned architecture = 0;
  bool architecture_specific = false;
  std::vector<std::byte> code;  ///< all .text sections one after the other, each aligned to 128 bytes
  std::vector<Function> functions;
  std::vector<Variable> variables;
  std::vector<std::byte> global_initialised;  ///< .nv.global.init
  std::uint64_t global_zeroed_bytes = 0;      ///< .nv.global
  std::uint64_t global_alignment_bytes = 256;
  std::vector<std::byte> constant3;
  std::vector<std::byte> constant4;
  std::string ptx_text;  ///< embedded PTX (.nv_debug_ptx_txt), empty if none

  /// One relocation, kept symbolic: where (`section`, `function`, `offset_bytes`), how (`type`), and what
  /// (`target` + `target_offset_bytes` + `addend`).
  struct Relocation {
    enum class Section { code, constant0, constant2, constant3, constant4, global_initialised };
    enum class Target { absolute, code, global_initialised, global_zeroed, constant3, external, other_section };
    Section section = Section::code;
    std::uint32_t function = 0;      ///< index into functions for constant0 and constant2
    std::uint64_t offset_bytes = 0;  ///< in that section; for code, in Cubin::code
    std::uint32_t type = 0;          ///< R_CUDA_* number, see relocations.def
    Target target = Target::external;
    std::uint32_t symbol = 0;               ///< index into symbol_names, for messages and external symbols
    std::uint64_t target_offset_bytes = 0;  ///< of the symbol in its section; for code, in Cubin::code
    std::int64_t addend = 0;
    bool explicit_addend = false;  ///< RELA: the field is overwritten. REL: its content is added to
  };
  std::vector<Relocation> relocations;
  std::vector<std::string> symbol_names;  ///< of the ELF symbol table, by symbol number
  std::vector<Diagnostic> warnings;       ///< what could not be read although the code can be run

  const Function* find(std::string_view symbol) const;
};

/// Reads a cubin ELF. `ptx` is the fatbin's PTX for names of shared arrays, used when the cubin carries
/// none itself; may be empty. Hostile input ends in a Diagnostic, never a crash.
Result<Cubin> read_cubin(Bytes elf, std::string_view ptx = {});

/// Where the loader put things. Functions are addressed by their byte offset in Cubin::code plus
/// `code_address`.
struct Placement {
  std::uint64_t code_address = 0;
  std::uint64_t global_initialised_address = 0;
  std::uint64_t global_zeroed_address = 0;
  std::uint64_t constant3_address = 0;  ///< a global-space copy, for generic pointers to __constant__ data; may be 0
  /// Address of a symbol that the cubin does not define (vprintf, malloc, free, __assertfail, or a
  /// variable of another module); nullopt: unresolved.
  std::function<std::optional<std::uint64_t>(std::string_view)> external;
};

struct Linked {
  std::vector<std::byte> code;
  std::vector<std::byte> global_initialised;
  std::vector<std::byte> constant3;
  std::vector<std::byte> constant4;
  std::vector<std::vector<std::byte>> constant0;  ///< per function
  std::vector<std::vector<std::byte>> constant2;  ///< per function
};

/// Applies every relocation. An unknown type or unresolved symbol is a Diagnostic naming both.
Result<Linked> link(const Cubin& cubin, const Placement& placement);

}  // namespace lanebank::image
