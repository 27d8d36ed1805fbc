#include "session/launch_report.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/check.hpp"
#include "findings/shared_kinds.hpp"
#include "sass/instruction.hpp"

namespace lanebank::session {

using findings::InstructionReport;
using findings::Kind;

std::string_view mnemonic_of(std::string_view text) {
  if (!text.empty() && text.front() == '@') text.remove_prefix(std::min(text.size(), text.find(' ') + 1));
  return text.substr(0, text.find(' '));
}

std::uint32_t function_index(const machine::LaunchRequest& request, const machine::InstructionInfo& info) {
  if (info.function == 0) return request.function;
  const std::uint32_t index = info.function - 1;
  LANEBANK_CHECK(index < request.module->cubin.functions.size(), std::to_string(index));
  return index;
}

std::uint64_t scaled(std::uint64_t figure, const machine::LaunchOutcome& outcome) {
  if (outcome.blocks_run == outcome.blocks) return figure;
  const auto product = static_cast<unsigned __int128>(figure) * outcome.blocks;
  return static_cast<std::uint64_t>((product + outcome.blocks_run / 2) / outcome.blocks_run);
}

namespace {

constexpr std::uint32_t instruction_bytes = 16;

/// Bits per lane, from the modifiers: 32 unless they say otherwise; rows of 128 bits for matrices; 0 for
/// instructions of a whole warp or warpgroup.
std::uint32_t bits_of(std::string_view mnemonic, Kind kind) {
  if (kind == Kind::matrix_load || kind == Kind::matrix_store) return 128;
  if (kind == Kind::bulk_copy || kind == Kind::matrix_operand || kind == Kind::other) return 0;
  for (std::size_t at = mnemonic.find('.'); at != std::string_view::npos; at = mnemonic.find('.', at + 1)) {
    const std::string_view rest = mnemonic.substr(at + 1);
    const std::string_view modifier = rest.substr(0, rest.find('.'));
    if (modifier == "U8" || modifier == "S8") return 8;
    if (modifier == "U16" || modifier == "S16") return 16;
    if (modifier == "64") return 64;
    if (modifier == "128") return 128;
  }
  return 32;
}

/// An access as findings describe it, with the lanes that meet in its fullest bank.
findings::WorstAccess described(const Access& access, unsigned architecture) {
  const Cost cost = lanebank::cost(access, architecture);
  findings::WorstAccess worst;
  worst.mask = access.active_lanes;
  worst.lane_bytes = access.lane_bytes;
  worst.wavefronts = cost.wavefronts;
  worst.ideal = cost.ideal;
  worst.counts_lanes = access_rule(architecture, access.kind, access.lane_bytes).counting == Counting::lanes;
  for (unsigned lane = 0; lane < lanes_per_warp; lane++)
    if (access.active_lanes >> lane & 1) worst.addresses[lane] = access.addresses[lane];
  const Group* fullest = nullptr;
  for (unsigned i = 0; i < cost.group_count; i++) {
    const Group& group = cost.groups[i];
    worst.phases.push_back({group.lanes, group.degree, group.bank, group.colliding_lanes});
    if (!fullest || group.degree > fullest->degree) fullest = &group;
  }
  if (!fullest) return worst;
  worst.bank = fullest->bank;
  for (unsigned lane = 0; lane < lanes_per_warp; lane++)
    if (fullest->colliding_lanes >> lane & 1) worst.lanes.push_back(static_cast<std::uint8_t>(lane));
  return worst;
}

/// The access that cost most, and how it would be under the cure, where one is known for its array.
void add_worst_access(InstructionReport& row, const checks::InstructionConflicts& conflicts,
                      const image::Function& kernel, const findings::LaunchReport& launch, unsigned architecture) {
  const checks::AccessRecord& record = conflicts.records.front();
  Access access = checks::access_of(conflicts, record, record.base_low);
  row.worst = described(access, architecture);
  if (record.array == checks::no_array || static_cast<std::size_t>(record.array) >= kernel.arrays.size()) return;
  const image::SharedArray& array = kernel.arrays[static_cast<std::size_t>(record.array)];
  row.worst->array_byte = array.offset_bytes;
  row.worst->array_bytes = array.dynamic ? launch.dynamic_shared_bytes : array.size_bytes;
  if (!row.suggestion || conflicts.cured_array != record.array) return;
  row.suggestion->layout = conflicts.cure_layout;
  for (std::uint32_t& address : access.addresses)
    address = array.offset_bytes + (*conflicts.cure_layout)(address - array.offset_bytes);
  row.suggestion->after = described(access, architecture);
  row.suggestion->after->array_byte = array.offset_bytes;
  row.suggestion->after->array_bytes = row.worst->array_bytes + row.worst->array_bytes /
                                                                    conflicts.cure_layout->row_bytes *
                                                                    conflicts.cure_layout->pad_bytes;
}

/// The arrays that an instruction reached, the most used first: "tile", or "a, b".
std::string array_names(const checks::InstructionConflicts& conflicts, const image::Function& function) {
  std::vector<checks::ArrayShare> shares = conflicts.arrays;
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.executions > b.executions; });
  std::string names;
  for (const checks::ArrayShare& share : shares) {
    if (share.array < 0 || static_cast<std::size_t>(share.array) >= function.arrays.size()) continue;
    if (!names.empty()) names += ", ";
    names += function.arrays[static_cast<std::size_t>(share.array)].name;
  }
  return names;
}

Kind kind_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return Kind::load;
    case AccessKind::store:
      return Kind::store;
    case AccessKind::matrix_load:
      return Kind::matrix_load;
    case AccessKind::matrix_store:
      return Kind::matrix_store;
    case AccessKind::async_copy_ca:
    case AccessKind::async_copy_cg:
      return Kind::async_copy;
    case AccessKind::bulk_copy:
      return Kind::bulk_copy;
    case AccessKind::matrix_operand:
      return Kind::matrix_operand;
    default:
      return Kind::atomic;
  }
}

void add_place(InstructionReport& row, const image::Function& function) {
  const std::vector<image::SourcePosition> chain = function.lines.find(row.address);
  if (chain.empty()) return;
  row.file = chain.front().file;
  row.line = chain.front().line;
  for (std::size_t i = 1; i < chain.size(); i++)
    row.inlined_at.push_back({chain[i].file, chain[i].line, chain[i - 1].function});
}

void add_conflicts(InstructionReport& row, const checks::InstructionConflicts& conflicts, const image::Function& kernel,
                   const findings::LaunchReport& launch, unsigned architecture) {
  if (row.kind == Kind::other) {  // a generic instruction that reached shared memory
    row.kind = kind_of(conflicts.kind);
    row.bits = bits_of(mnemonic_of(row.sass), row.kind);
  }
  row.array = array_names(conflicts, kernel);
  row.modelled = conflicts.modelled();
  if (!row.modelled) {
    row.why = conflicts.reason;
    return;
  }
  row.wavefronts = conflicts.wavefronts;
  row.ideal = conflicts.ideal;
  row.worst_degree = conflicts.worst_degree;
  if (row.excess() == 0) return;
  row.why = conflicts.explanation;
  if (!conflicts.cure.empty()) row.suggestion = findings::Suggestion{conflicts.cure};
  if (!conflicts.records.empty()) add_worst_access(row, conflicts, kernel, launch, architecture);
}

std::string_view spelled(machine::Fault::Kind kind) {
  switch (kind) {
    case machine::Fault::Kind::illegal_address:
      return "illegal_address";
    case machine::Fault::Kind::misaligned_address:
      return "misaligned_address";
    case machine::Fault::Kind::illegal_instruction:
      return "illegal_instruction";
    case machine::Fault::Kind::shared_out_of_bounds:
      return "shared_out_of_bounds";
    case machine::Fault::Kind::local_out_of_bounds:
      return "local_out_of_bounds";
    case machine::Fault::Kind::trap:
      return "trap";
    case machine::Fault::Kind::assertion:
      return "assertion";
    case machine::Fault::Kind::unsupported:
      return "unsupported";
    case machine::Fault::Kind::deadlock:
      return "deadlock";
    case machine::Fault::Kind::invalid_pc:
      return "invalid_pc";
    case machine::Fault::Kind::stack_overflow:
      return "stack_overflow";
  }
  return "unknown";
}

bool several_warps_per_block(const machine::LaunchInfo& info) {
  return std::uint64_t{info.block[0]} * info.block[1] * info.block[2] > lanes_per_warp;
}

bool several_blocks(const machine::LaunchInfo& info) {
  return std::uint64_t{info.grid[0]} * info.grid[1] * info.grid[2] > 1;
}

std::shared_ptr<const findings::Instructions> rows_of(const machine::LaunchRequest& request,
                                                      const machine::LaunchOutcome& outcome,
                                                      const checks::ConflictReport& conflicts, FunctionTexts& texts,
                                                      const findings::LaunchReport& launch, bool all_instructions,
                                                      std::vector<std::uint32_t>& row_of_instruction) {
  const machine::LaunchInfo& info = outcome.info;
  const image::Cubin& cubin = request.module->cubin;
  const bool race_in_block = several_warps_per_block(info), race_in_grid = race_in_block || several_blocks(info);
  std::map<std::uint32_t, std::uint64_t> executed_of;  // by function: other functions appear only if they ran
  for (std::size_t i = 0; i < info.instructions.size(); i++)
    executed_of[info.instructions[i].function] += outcome.counts[i].executed;
  auto rows = std::make_shared<findings::Instructions>();
  row_of_instruction.assign(info.instructions.size(), no_row);
  for (std::size_t i = 0; i < info.instructions.size(); i++) {
    const machine::InstructionInfo& instruction = info.instructions[i];
    if (instruction.function != 0 && executed_of[instruction.function] == 0) continue;
    const FunctionText& text = texts.of(*request.module, function_index(request, instruction));
    const std::size_t line = instruction.address_bytes / instruction_bytes;
    const checks::InstructionConflicts* found = conflicts.find(static_cast<std::uint32_t>(i));
    if (!all_instructions && !found && !text.always_shared.at(line)) continue;
    InstructionReport row = text.rows.at(line);
    if (instruction.function != 0) row.function = text.name.full;
    row.executed = scaled(outcome.counts[i].executed, outcome);
    row.threads = scaled(outcome.counts[i].threads, outcome);
    row.timing_dependent = (text.timing[line].in_block && race_in_block) || (text.timing[line].in_grid && race_in_grid);
    if (found) add_conflicts(row, *found, cubin.functions[request.function], launch, cubin.architecture);
    row.wavefronts = scaled(row.wavefronts, outcome);
    row.ideal = scaled(row.ideal, outcome);
    row_of_instruction[i] = static_cast<std::uint32_t>(rows->size());
    rows->push_back(std::move(row));
  }
  return rows;
}

/// Which array each instruction means, where it leads back to one access of the embedded PTX.
std::vector<MeantArray> arrays_meant(const std::vector<image::PtxAccess>& accesses, const image::Function& function,
                                     std::size_t count) {
  std::vector<MeantArray> arrays(count);
  for (std::size_t n = 0; n < count; ++n) {
    const auto chain = function.ptx_lines.find(static_cast<std::uint32_t>(n) * instruction_bytes);
    if (chain.empty()) continue;
    const auto [first, end] =
        std::equal_range(accesses.begin(), accesses.end(), image::PtxAccess{chain.front().line, {}, 0},
                         [](const image::PtxAccess& a, const image::PtxAccess& b) { return a.line < b.line; });
    if (end - first != 1) continue;
    for (std::size_t i = 0; i < function.arrays.size(); ++i)
      if (function.arrays[i].symbol == first->symbol) arrays[n] = {static_cast<std::int32_t>(i), first->bytes};
  }
  return arrays;
}

}  // namespace

const FunctionText& FunctionTexts::of(const machine::Module& module, std::uint32_t function) {
  std::unique_ptr<FunctionText>& text = texts_[{&module, function}];
  if (text) return *text;
  text = std::make_unique<FunctionText>();
  const image::Cubin& cubin = module.cubin;
  const image::Function& source = cubin.functions.at(function);
  text->name = kernel_name(source.symbol);
  std::vector<SassLine> code;
  for (std::uint32_t address = 0; address + instruction_bytes <= source.code_bytes; address += instruction_bytes) {
    const sass::Word word = sass::word_at(cubin.code.data() + source.code_offset_bytes + address);
    InstructionReport row;
    row.address = address;
    row.sass = sass::disassemble(sass::decode(word, address, cubin.architecture), cubin.architecture);
    const auto shared = findings::shared_kind(mnemonic_of(row.sass));
    text->always_shared.push_back(shared && shared->always);
    if (shared && shared->always) row.kind = shared->kind;
    row.bits = bits_of(mnemonic_of(row.sass), row.kind);
    add_place(row, source);
    code.push_back({address, row.sass});
    text->rows.push_back(std::move(row));
  }
  text->timing = timing_dependence(code);
  if (source.ptx_lines.empty() || !source.arrays_known)
    text->arrays.resize(text->rows.size());
  else
    text->arrays = arrays_meant(accesses_of(module), source, text->rows.size());
  return *text;
}

const std::vector<image::PtxAccess>& FunctionTexts::accesses_of(const machine::Module& module) {
  const auto [place, is_new] = accesses_.try_emplace(&module);
  if (is_new) place->second = image::shared_accesses(module.cubin.ptx_text);
  return place->second;
}

void FunctionTexts::forget(const machine::Module& module) {
  accesses_.erase(&module);
  std::erase_if(texts_, [&](const auto& entry) { return entry.first.first == &module; });
}

std::vector<checks::SharedArray> arrays_of(const image::Function& function, std::uint32_t dynamic_shared_bytes) {
  std::vector<checks::SharedArray> arrays;
  for (const image::SharedArray& array : function.arrays)
    arrays.push_back(
        {array.offset_bytes, array.dynamic ? dynamic_shared_bytes : array.size_bytes, "", array.element_bytes});
  return arrays;
}

findings::FaultReport make_fault_report(const machine::LaunchRequest& request, const machine::LaunchInfo& info,
                                        const machine::Fault& fault) {
  findings::FaultReport report;
  report.kind = spelled(fault.kind);
  report.message = fault.message;
  report.block = fault.block;
  report.thread = fault.thread;
  if (fault.instruction >= info.instructions.size()) return report;
  const machine::InstructionInfo& instruction = info.instructions[fault.instruction];
  const image::Function& function = request.module->cubin.functions[function_index(request, instruction)];
  InstructionReport row;
  row.address = instruction.address_bytes;
  add_place(row, function);
  report.address = row.address;
  report.file = row.file;
  report.line = row.line;
  if (instruction.function != 0) report.function = kernel_name(function.symbol).full;
  return report;
}

PlacedReport make_launch_report(const machine::LaunchRequest& request, const machine::LaunchOutcome& outcome,
                                const checks::ConflictReport& conflicts, FunctionTexts& texts, bool all_instructions) {
  const image::Cubin& cubin = request.module->cubin;
  const image::Function& kernel = cubin.functions[request.function];
  PlacedReport placed;
  findings::LaunchReport& report = placed.report;
  report.kernel = texts.of(*request.module, request.function).name.full;
  report.symbol = kernel.symbol;
  report.arch = "sm_" + std::to_string(cubin.architecture);
  std::copy_n(request.grid, 3, report.grid.begin());
  std::copy_n(request.block, 3, report.block.begin());
  report.static_shared_bytes = kernel.static_shared_bytes;
  report.dynamic_shared_bytes = request.dynamic_shared_bytes;
  if (outcome.blocks_run != outcome.blocks) report.sampled_blocks = outcome.blocks_run;
  report.warp_instructions = scaled(outcome.warp_instructions, outcome);
  report.has_lines = !kernel.lines.empty();
  report.measured = conflicts.measured;
  report.rules_source = conflicts.rules_source;
  report.seconds = outcome.seconds;
  if (outcome.fault) report.fault = make_fault_report(request, outcome.info, *outcome.fault);
  report.instructions =
      rows_of(request, outcome, conflicts, texts, report, all_instructions, placed.row_of_instruction);
  report.shared = findings::totals(*report.instructions);
  return placed;
}

}  // namespace lanebank::session
