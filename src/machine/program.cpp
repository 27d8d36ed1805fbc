#include "machine/program.hpp"

#include <algorithm>
#include <cstring>

#include "machine/lanes/fault.hpp"
#include "machine/lower_table.hpp"
#include "sass/instruction.hpp"

namespace lanebank::machine {

namespace {

const Operation* run_unsupported(Warp& w, const Operation* op) {
  if ((w.active & (w.predicates[op->guard] ^ op->guard_flip)) == 0) return op + 1;
  const Program& program = *w.launch->program;
  const unsigned architecture = w.launch->facts->architecture;
  const std::uint32_t address = program.instructions[op->instruction].address_bytes;
  const sass::Instruction instruction = sass::decode(program.words[op->instruction], address, architecture);
  const std::string text = sass::disassemble(instruction, architecture) + ": " + program.unsupported[op->instruction];
  return raise_unsupported(w, op, text.c_str());
}

void lower_one(Program& program, std::uint32_t index, std::uint32_t address, std::uint64_t code_address,
               const ArchitectureFacts& facts, std::int64_t& target) {
  const sass::Word word = program.words[index];
  const sass::Instruction instruction = sass::decode(word, address, facts.architecture);
  Lowering lowering;
  lowering.word = word;
  lowering.address = address;
  lowering.code_address = code_address;
  lowering.facts = &facts;
  lowering.register_count = program.registers;
  lowering.index = index;
  lowering.constant_uses = &program.constant_uses;
  lowering.op.instruction = index;
  const unsigned guard = unsigned(word.bits(12, 15));
  lowering.op.guard = static_cast<std::uint8_t>(sass::has_uniform_guard(instruction.row) ? 8 + guard : guard);
  lowering.op.guard_flip = word.bit(15) ? ~std::uint32_t{0} : 0;
  if (instruction.row == sass::no_row) {
    lowering.unsupported = "lanebank does not know this encoding";
  } else {
    lower_function(static_cast<std::size_t>(instruction.row))(lowering);
  }
  if (lowering.unsupported == nullptr && lowering.op.execute == nullptr)
    lowering.unsupported = "an operand form that is not known";
  program.unsupported[index] = lowering.unsupported;
  program.fused[index] = lowering.unsupported == nullptr ? lowering.fused : Fused{};
  if (lowering.unsupported != nullptr) {
    lowering.op.execute = &run_unsupported;
    lowering.target = no_target;
  }
  target = lowering.target;
  program.operations[index] = lowering.op;
}

/// ATOMS.CAS and CAST.SPIN, ATOMG.CAS, ATOM.CAS.
bool compares_and_swaps(const sass::Word& word) {
  const unsigned opcode = unsigned(word.bits(0, 12));
  return opcode == 0x38d || opcode == 0x98d || opcode == 0x3a9 || opcode == 0x9a9 || opcode == 0x38b || opcode == 0x98b;
}

/// Registers that a warp may ask for with USETMAXREG.TRY_ALLOC, beyond those that the kernel is launched with; 0: another
/// instruction.
std::uint32_t registers_asked_for(const sass::Word& word, unsigned architecture) {
  const unsigned opcode = unsigned(word.bits(0, 12));
  if (architecture < 90 || (opcode != 0x9c8 && opcode != 0x3c8) || word.bits(72, 74) != 2) return 0;
  return opcode == 0x9c8 ? static_cast<std::uint32_t>(word.bits(32, 42)) : 256;
}

bool touches_local(const sass::Word& word) {
  const unsigned opcode = unsigned(word.bits(0, 12));
  return opcode == 0x983 || opcode == 0x387 || opcode == 0x987;
}

}  // namespace

const Operation* Program::at(std::uint64_t code_address) const {
  for (const Piece& piece : pieces) {
    const std::uint64_t offset = code_address - piece.code_address;
    if (code_address >= piece.code_address && offset / 16 < piece.count && offset % 16 == 0)
      return &operations[piece.first + offset / 16];
  }
  return nullptr;
}

Result<std::shared_ptr<Program>> build_program(const Module& module, std::uint32_t function, bool with_runs) {
  const image::Cubin& cubin = module.cubin;
  const ArchitectureFacts* facts = architecture_facts(cubin.architecture);
  if (facts == nullptr)
    return fail("machine.architecture", cubin.functions[function].symbol,
                "machine code for sm_" + std::to_string(cubin.architecture) + " is not supported",
                "compile for sm_75, sm_80, sm_86, sm_89 or sm_90");
  auto program = std::make_shared<Program>();
  std::vector<std::uint32_t> functions{function};
  for (std::uint32_t n = 0; n < cubin.functions.size(); ++n)
    if (!cubin.functions[n].kernel) functions.push_back(n);
  std::uint32_t registers = 0;
  for (std::uint32_t n : functions) {
    const image::Function& piece = cubin.functions[n];
    if (std::uint64_t{piece.code_offset_bytes} + piece.code_bytes > module.linked.code.size())
      return fail("machine.code", piece.symbol, "its code lies outside the module");
    const std::uint32_t count = piece.code_bytes / 16;
    program->pieces.push_back(
        {n, static_cast<std::uint32_t>(program->words.size()), count, code_window + piece.code_offset_bytes});
    registers = std::max(registers, piece.registers);
    for (std::uint32_t i = 0; i < count; ++i) {
      program->words.push_back(sass::word_at(module.linked.code.data() + piece.code_offset_bytes + 16 * i));
      program->instructions.push_back({n == function ? 0 : n + 1, 16 * i});
      registers = std::max(registers, registers_asked_for(program->words.back(), cubin.architecture));
      program->uses_local |= touches_local(program->words.back());
      program->compares_and_swaps |= compares_and_swaps(program->words.back());
    }
  }
  // The count that the compiler declares covers what it allocates in pairs; a fixed frame of a few more costs nothing.
  program->registers = static_cast<std::uint16_t>(std::clamp<std::uint32_t>((registers + 7) / 8 * 8, 8, 256));
  program->operations.resize(program->words.size());
  program->unsupported.resize(program->words.size());
  program->fused.resize(program->words.size());
  for (const Program::Piece& piece : program->pieces) {
    for (std::uint32_t i = 0; i < piece.count; ++i) {
      std::int64_t target = no_target;
      lower_one(*program, piece.first + i, 16 * i, piece.code_address, *facts, target);
      if (target == no_target) continue;
      Operation& op = program->operations[piece.first + i];
      op.target = program->at(piece.code_address + static_cast<std::uint64_t>(target));
      if (op.target == nullptr) {
        program->unsupported[piece.first + i] = "a branch to an address that holds no code";
        op.execute = &run_unsupported;
      }
    }
  }
  if (with_runs) program->runs = compile_runs(program->operations, program->fused, program->registers);
  return program;
}

void resolve_constants(Program& program, const LaunchState& launch) {
  for (const ConstantUse& use : program.constant_uses) {
    const LaunchState::Bank& bank = launch.banks[use.bank & 7];
    std::uint32_t value = 0;
    // The last parameter may end within the word.
    if (use.bank < 8 && use.offset_bytes < bank.bytes)
      std::memcpy(&value, bank.data + use.offset_bytes, std::min(4u, bank.bytes - use.offset_bytes));
    program.operations[use.operation].immediate[use.word] = value;
  }
}

}  // namespace lanebank::machine
