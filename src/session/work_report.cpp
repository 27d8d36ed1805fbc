#include "session/work_report.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "sass/table.hpp"
#include "session/launch_report.hpp"

namespace lanebank::session {

using findings::Pipe;
using findings::TensorKind;

namespace {

struct PipeRow {
  std::string_view mnemonic;
  Pipe pipe;
};

constexpr PipeRow pipe_rows[] = {
#define LANEBANK_PIPE_OF(mnemonic, pipe) {mnemonic, Pipe::pipe},
#include "session/instruction_pipes.def"
#undef LANEBANK_PIPE_OF
};

Pipe pipe_of_unit(sass::Unit unit) {
  switch (unit) {
    case sass::Unit::alu:
    case sass::Unit::convert:
    case sass::Unit::warp:
      return Pipe::alu;
    case sass::Unit::memory:
    case sass::Unit::atomic:
      return Pipe::memory;
    case sass::Unit::matrix:
      return Pipe::tensor;
    default:
      return Pipe::issue;
  }
}

bool has_modifier(std::string_view mnemonic, std::string_view modifier) {
  for (std::size_t at = mnemonic.find('.'); at != std::string_view::npos; at = mnemonic.find('.', at + 1)) {
    const std::string_view rest = mnemonic.substr(at + 1);
    if (rest.substr(0, rest.find('.')) == modifier) return true;
  }
  return false;
}

/// Rows x columns x depth of "16816" or "64x256x16"; 0 for what is no shape.
std::uint64_t volume(std::string_view shape) {
  struct Row {
    std::string_view text;
    std::uint64_t rows, columns, depth;
  };
  constexpr Row rows[] = {{"884", 8, 8, 4},     {"1684", 16, 8, 4},   {"1688", 16, 8, 8}, {"16816", 16, 8, 16},
                          {"16832", 16, 8, 32}, {"16864", 16, 8, 64}, {"8816", 8, 8, 16}, {"8832", 8, 8, 32}};
  for (const Row& row : rows)
    if (row.text == shape) return row.rows * row.columns * row.depth;
  std::uint64_t product = 1;
  unsigned factors = 0;
  for (const char *at = shape.data(), *end = at + shape.size(); at < end; ++at) {
    std::uint64_t factor = 0;
    const auto [stop, error] = std::from_chars(at, end, factor);
    if (error != std::errc{} || (stop != end && *stop != 'x')) return 0;
    product *= factor;
    ++factors;
    at = stop;
  }
  return factors == 3 ? product : 0;
}

/// Bytes of the different sectors; of sampled blocks those of all, at most what the allocations that they lie in hold.
struct DramBytes {
  std::uint64_t read = 0, written = 0;
};
DramBytes dram_bytes(const machine::LaunchOutcome& outcome, const checks::GlobalTraffic& traffic,
                     const machine::Memory& memory) {
  DramBytes all;
  std::map<std::uint64_t, DramBytes> by_allocation;
  std::map<std::uint64_t, std::uint64_t> size;
  for (const auto& [number, page] : traffic.pages) {
    const std::uint64_t first = number * checks::page_bytes;
    auto found = memory.find(first);
    if (!found) found = memory.find(first + checks::page_bytes - 1);  // an allocation that begins in the page
    const std::uint64_t key = found ? found->address : 0;
    size[key] = found ? found->bytes : ~std::uint64_t{0};
    by_allocation[key].read += page.read.count() * checks::sector_bytes;
    by_allocation[key].written += page.written.count() * checks::sector_bytes;
  }
  for (const auto& [address, bytes] : by_allocation) {
    // The last sector of an allocation may be begun only.
    const std::uint64_t most = std::max(size[address], std::max(bytes.read, bytes.written));
    all.read += std::min(scaled(bytes.read, outcome), most);
    all.written += std::min(scaled(bytes.written, outcome), most);
  }
  return all;
}

}  // namespace

Pipe pipe_of(sass::Row row) {
  if (row == sass::no_row) return Pipe::issue;
  const sass::RowInfo& info = sass::info(row);
  for (const PipeRow& exception : pipe_rows)
    if (exception.mnemonic == info.mnemonic) return exception.pipe;
  return pipe_of_unit(info.unit);
}

std::optional<TensorProduct> tensor_product(std::string_view sass) {
  const std::string_view mnemonic = mnemonic_of(sass), base = mnemonic.substr(0, mnemonic.find('.'));
  TensorProduct product;
  product.warpgroup = base.ends_with("GMMA");
  if (base == "HMMA" || base == "HGMMA")
    product.kind = has_modifier(mnemonic, "TF32") ? TensorKind::tf32 : TensorKind::half;
  else if (base == "IMMA" || base == "IGMMA")
    product.kind = TensorKind::int8;
  else if (base == "QMMA" || base == "QGMMA")
    product.kind = TensorKind::fp8;
  else if (base == "DMMA")
    product.kind = TensorKind::fp64;
  else
    return std::nullopt;
  if (has_modifier(mnemonic, "U4") || has_modifier(mnemonic, "S4")) return std::nullopt;
  for (std::size_t at = mnemonic.find('.'); at != std::string_view::npos && product.multiply_adds == 0;
       at = mnemonic.find('.', at + 1)) {
    const std::string_view rest = mnemonic.substr(at + 1);
    product.multiply_adds = volume(rest.substr(0, rest.find('.')));
  }
  if (product.multiply_adds == 0) return std::nullopt;
  if (has_modifier(mnemonic, "SP")) product.multiply_adds /= 2;
  if (product.warpgroup) product.multiply_adds /= 4;
  return product;
}

findings::Work make_work(const machine::LaunchRequest& request, const machine::LaunchOutcome& outcome,
                         const checks::GlobalTraffic& traffic, const machine::Memory& memory) {
  const image::Cubin& cubin = request.module->cubin;
  findings::Work work;
  work.registers = cubin.functions[request.function].registers;
  for (std::size_t i = 0; i < outcome.info.instructions.size(); i++) {
    const std::uint64_t executed = scaled(outcome.counts[i].executed, outcome);
    if (executed == 0) continue;
    const machine::InstructionInfo& info = outcome.info.instructions[i];
    const image::Function& function = cubin.functions[function_index(request, info)];
    const sass::Word word = sass::word_at(cubin.code.data() + function.code_offset_bytes + info.address_bytes);
    const sass::Instruction instruction = sass::decode(word, info.address_bytes, cubin.architecture);
    const Pipe pipe = pipe_of(instruction.row);
    work.pipes[static_cast<std::size_t>(pipe)] += executed;
    if (pipe != Pipe::tensor) continue;
    if (const auto product = tensor_product(sass::disassemble(instruction, cubin.architecture))) {
      auto& sums = product->warpgroup ? work.warpgroup_mma : work.mma;
      sums[static_cast<std::size_t>(product->kind)] += executed * product->multiply_adds;
    } else {
      work.uncounted_products += executed;
    }
  }
  const DramBytes dram = dram_bytes(outcome, traffic, memory);
  work.global = {.requests = scaled(traffic.requests, outcome),
                 .sectors = scaled(traffic.sectors, outcome),
                 .l2_read_sectors = scaled(traffic.l2_read_sectors, outcome),
                 .l2_write_sectors = scaled(traffic.l2_write_sectors, outcome),
                 .dram_read_bytes = dram.read,
                 .dram_write_bytes = dram.written,
                 .engine_read_bytes = scaled(traffic.engine_read_bytes, outcome),
                 .engine_write_bytes = scaled(traffic.engine_write_bytes, outcome)};
  return work;
}

}  // namespace lanebank::session
