// Compiled runs against the operations' own functions: random stretches of instructions on random warps, every register,
// predicate, uniform register and count compared.
#include "machine/fuse/runs.hpp"

#include "machine/fuse/logic_formulas.hpp"
#include "one_instruction.hpp"

namespace lanebank::machine::test {
namespace {

/// Opcode fields of the instructions that runs are made of.
constexpr unsigned opcodes[] = {
    0x202, 0x802, 0xa02, 0xc02, 0x207, 0x807, 0xa07, 0xc07, 0x208, 0x808, 0xa08, 0xc08, 0x20b, 0x80b, 0xa0b,
    0xc0b, 0x20c, 0x80c, 0xa0c, 0xc0c, 0x210, 0x810, 0xa10, 0xc10, 0x211, 0x811, 0xa11, 0xc11, 0x411, 0x212,
    0x812, 0xa12, 0xc12, 0x217, 0x817, 0xc17, 0x219, 0x819, 0xa19, 0xc19, 0x220, 0x820, 0xa20, 0xc20, 0x221,
    0x421, 0x821, 0xa21, 0xc21, 0x223, 0x423, 0x623, 0x823, 0xa23, 0xc23, 0x224, 0x424, 0x624, 0x824, 0xa24,
    0xc24, 0x225, 0x425, 0x625, 0x825, 0xc25, 0x227, 0x827, 0x248, 0x848, 0xb82, 0xab9, 0x290, 0x890, 0x291,
    0x891, 0x292, 0x892, 0x299, 0x899, 0x2a4, 0x8a4, 0x4a4, 0x282, 0x882, 0xc82, 0x919, 0x9c3};

/// Of these float arithmetic.
constexpr unsigned float_opcodes[] = {0x220, 0x820, 0xc20, 0x221, 0x421, 0x821, 0xc21, 0x223, 0x623, 0x823, 0xc23};

/// A warp with its memory.
struct Machine {
  alignas(64) Word rows[32 * (register_count + zero_rows + sink_rows)] = {};
  std::vector<Count> counts;
  std::vector<std::uint64_t> run_counts;
  Worker worker;
  Block block;
  LaunchState launch;
  Warp warp;

  State run(std::vector<Operation>& operations, const State& before, Word active) {
    for (unsigned n = 0; n < register_count; ++n) std::memcpy(rows + 32 * n, before.r[n].data(), 128);
    warp.rows = rows;
    warp.counts = counts.data();
    warp.run_counts = run_counts.data();
    warp.worker = &worker;
    warp.block = &block;
    warp.launch = &launch;
    warp.thread_base = 32;
    launch.facts = architecture_facts(90);
    launch.block[0] = 6;
    launch.block[1] = 5;
    launch.block[2] = 3;
    launch.warps_per_block = 3;
    launch.number_threads();
    block.index[0] = 3;
    block.index[1] = 70000;
    block.index[2] = 9;
    block.cluster_rank = 2;
    std::copy(before.p.begin(), before.p.end(), warp.predicates);
    std::copy(before.u.begin(), before.u.end(), warp.uniform);
    warp.active = warp.live = active;
    const Operation* op = operations.data();
    while (op != operations.data() + operations.size()) op = op->execute(warp, op);
    State after;
    for (unsigned n = 0; n < register_count; ++n) std::memcpy(after.r[n].data(), rows + 32 * n, 128);
    std::copy_n(warp.predicates, predicate_count, after.p.begin());
    std::copy_n(warp.uniform, uniform_count, after.u.begin());
    for (unsigned i = 0; i < zero_rows * 32; ++i) EXPECT_EQ(rows[32 * register_count + i], 0u) << "RZ was written";
    after.p[sink_predicate] = before.p[sink_predicate];
    return after;
  }
};

struct Stretch {
  std::vector<sass::Word> words;
  std::vector<Operation> operations;
  std::vector<Fused> fused;
  unsigned architecture = 90;

  /// Whether the instruction can be lowered at this level, and belongs into runs.
  bool add(const Level& level, const sass::Word& word) {
    const sass::Instruction instruction = sass::decode(word, 0, architecture);
    if (instruction.row == sass::no_row) return false;
    std::vector<ConstantUse> constants;
    Lowering lowering;
    lowering.word = word;
    lowering.facts = architecture_facts(architecture);
    lowering.register_count = register_count;
    lowering.constant_uses = &constants;
    const unsigned guard = unsigned(word.bits(12, 15));
    lowering.op.guard = static_cast<std::uint8_t>(sass::has_uniform_guard(instruction.row) ? 8 + guard : guard);
    lowering.op.guard_flip = word.bit(15) ? all_lanes : 0;
    level.lower_function(static_cast<std::size_t>(instruction.row))(lowering);
    if (lowering.unsupported != nullptr || lowering.fused.kind == FusedKind::none) return false;
    for (const ConstantUse& use : constants)
      lowering.op.immediate[use.word] = constant_word(use.bank, use.offset_bytes);
    lowering.op.instruction = static_cast<std::uint32_t>(operations.size());
    words.push_back(word);
    operations.push_back(lowering.op);
    fused.push_back(lowering.fused);
    return true;
  }

  /// Drops what no run holds.
  void keep(std::span<const CompiledRun> runs) {
    Stretch kept;
    for (const CompiledRun& run : runs)
      for (std::uint32_t n = run.first; n < run.first + run.count; ++n) {
        kept.words.push_back(words[n]);
        kept.operations.push_back(operations[n]);
        kept.operations.back().instruction = static_cast<std::uint32_t>(kept.operations.size() - 1);
        kept.fused.push_back(fused[n]);
      }
    kept.architecture = architecture;
    *this = std::move(kept);
  }

  std::string text() const {
    std::string result;
    for (const sass::Word& word : words)
      result += sass::disassemble(sass::decode(word, 0, architecture), architecture) + "\n";
    return result;
  }
};

class RunsTest : public testing::TestWithParam<RunCode> {
 protected:
  void SetUp() override {
    if (!processor_can(GetParam())) GTEST_SKIP() << "this processor cannot run such code";
    Stretch probe;
    if (compile_runs(probe.operations, probe.fused, register_count, GetParam())) FAIL() << "a run of nothing";
  }

  /// An instruction with registers that exist, often the same ones, sometimes RZ and PT.
  sass::Word word(unsigned opcode) {
    sass::Word result{(random_() & ~0xfffull) | opcode, random_()};
    const auto put = [&](unsigned first, unsigned bits, std::uint64_t value) {
      std::uint64_t& half = first < 64 ? result.low : result.high;
      const unsigned at = first % 64;
      half = (half & ~(((std::uint64_t{1} << bits) - 1) << at)) | value << at;
    };
    const auto reg = [&] { return random_() % 8 == 0 ? 255 : random_() % 12 * 2 + random_() % 2; };
    const bool is_uniform = opcode == 0xab9 || opcode == 0x9c3 || (opcode & 0x1ff) == 0x82 ||
                            ((opcode & 0x1ff) >= 0x90 && (opcode & 0x1ff) <= 0xa4);
    put(16, 8, is_uniform ? random_() % 64 : reg());
    put(24, 8, opcode == 0xb82 ? 255 : reg());
    const unsigned form = opcode >> 9;
    if (form == 1 || form == 2 || form == 3) put(32, 8, reg());
    if (form == 6 || form == 7) put(32, 6, random_() % 40), put(38, 2, 0);
    if (form == 4 && random_() % 2 == 0) put(32, 32, std::uint64_t{1} << random_() % 32);
    if (is_uniform) put(24, 8, random_() % 64), put(32, 6, random_() % 64), put(64, 8, random_() % 64);
    if (!is_uniform) put(64, 8, reg());
    if (opcode == 0x899) put(32, 32, random_() % 40);
    if (opcode == 0x919 || opcode == 0x9c3) {
      static constexpr unsigned specials[] = {0x21, 0x22, 0x23, 0x25, 0x26, 0x27, 0x88};
      put(72, 8, specials[random_() % 7]);
    }
    if (random_() % 2 == 0) put(12, 4, 7);                 // no guard
    if (random_() % 2 == 0) put(81, 3, 7), put(84, 3, 7);  // no predicate results
    if (random_() % 2 == 0) put(87, 4, 7 + 8 * (random_() % 2)), put(77, 4, 15);
    if (opcode != 0x919 && opcode != 0x9c3 && random_() % 2 == 0) put(72, 9, random_() % 16 << 4);  // few modifiers
    if ((opcode & 0x1ff) == 0x90 || (opcode & 0x1ff) == 0x91) put(74, 1, 0), put(80, 1, 0);
    const unsigned base = opcode & 0x1ff;
    if (base == 0x02) put(72, 4, 15);
    if (opcode == 0xb82 || opcode == 0xab9) put(73, 3, 4 + random_() % 2), put(78, 2, 0), put(91, 1, 0), put(38, 2, 0);
    if ((base == 0x20 || base == 0x21 || base == 0x23) && random_() % 4 != 0) put(76, 5, 0);
    if (base == 0x20) put(84, 3, 4);
    if ((opcode & 0x1ff) == 0x92) put(72, 8, random_() % 2 ? 0xc0 : 0x3c);
    return result;
  }

  std::mt19937_64 random_{20261130};
};

TEST_P(RunsTest, DoWhatTheOperationsDo) {
  const Level level = levels().back();
  unsigned compiled = 0, longest = 0, kinds[32] = {};
  for (unsigned round = 0; round < 6000; ++round) {
    Stretch stretch;
    stretch.architecture = round % 4 == 0 ? 75 : 90;
    // One run in which nothing stays in registers for long, uniform registers change often and NaNs go around.
    const bool one_run = round % 32 == 31;
    const unsigned wanted = one_run ? 400 : 2 + unsigned(random_() % 24);
    for (unsigned tries = 0; stretch.operations.size() < wanted && tries < 4000; ++tries)
      stretch.add(level, word(one_run && random_() % 2 == 0 ? float_opcodes[random_() % std::size(float_opcodes)]
                                                            : opcodes[random_() % std::size(opcodes)]));
    if (one_run) {
      std::vector<Operation> trial = stretch.operations;
      if (const auto runs = compile_runs(trial, stretch.fused, register_count, GetParam())) stretch.keep(runs->runs);
    }
    std::mt19937 values(round);
    const State before = random_state(values);
    const Word active = round % 8 == 0 ? Word(values()) : all_lanes;
    Machine own, ours;
    own.counts.resize(stretch.operations.size());
    ours.counts.resize(stretch.operations.size());
    std::vector<Operation> operations = stretch.operations;
    const auto runs = compile_runs(operations, stretch.fused, register_count, GetParam());
    if (runs) {
      ours.run_counts.resize(runs->runs.size());
      for (const CompiledRun& run : runs->runs) {
        longest = std::max(longest, run.count);
        for (unsigned i = 0; i < run.count; ++i) ++compiled, ++kinds[unsigned(stretch.fused[run.first + i].kind)];
      }
    }
    const State expected = own.run(stretch.operations, before, active), found = ours.run(operations, before, active);
    if (runs) add_run_counts(*runs, operations, ours.run_counts, ours.counts);
    for (unsigned n = 0; n < register_count; ++n)
      for (unsigned i = 0; i < 32; ++i)
        ASSERT_EQ(found.r[n][i], expected.r[n][i]) << "R" << n << " of lane " << i << " after\n" << stretch.text();
    for (unsigned n = 0; n < predicate_count; ++n)
      ASSERT_EQ(found.p[n], expected.p[n]) << "predicate " << n << " after\n" << stretch.text();
    for (unsigned n = 0; n < uniform_count; ++n)
      ASSERT_EQ(found.u[n], expected.u[n]) << "UR" << n << " after\n" << stretch.text();
    for (std::size_t i = 0; i < stretch.operations.size(); ++i) {
      ASSERT_EQ(ours.counts[i].executed, own.counts[i].executed) << "instruction " << i << " of\n" << stretch.text();
      ASSERT_EQ(ours.counts[i].threads, own.counts[i].threads) << "instruction " << i << " of\n" << stretch.text();
    }
  }
  EXPECT_GT(compiled, 30000u);
  EXPECT_GT(longest, 200u);
  for (unsigned kind = 1; kind <= unsigned(FusedKind::special_uniform); ++kind)
    EXPECT_GT(kinds[kind], 100u) << "kind " << kind << " was hardly tried";
}

/// What a formula says when its operands are tables themselves.
unsigned table_of(unsigned table, unsigned& operations) {
  const fuse::LogicFormula& formula = fuse::logic_formulas()[table];
  if (formula.kind == fuse::LogicFormula::operand) return table;
  ++operations;
  const unsigned x = table_of(formula.x, operations);
  if (formula.kind == fuse::LogicFormula::invert) return ~x & 0xff;
  const unsigned y = table_of(formula.y, operations);
  if (formula.kind == fuse::LogicFormula::conjunction) return x & y;
  if (formula.kind == fuse::LogicFormula::and_not) return ~x & y;
  if (formula.kind == fuse::LogicFormula::disjunction) return x | y;
  return x ^ y;
}

TEST(LogicFormulas, GiveTheirTablesInFewOperations) {
  for (unsigned table = 1; table < 255; ++table) {
    const fuse::LogicFormula& formula = fuse::logic_formulas()[table];
    ASSERT_NE(formula.kind, fuse::LogicFormula::none) << table;
    ASSERT_EQ(formula.kind == fuse::LogicFormula::operand, table == 0xf0 || table == 0xcc || table == 0xaa) << table;
    unsigned operations = 0;
    EXPECT_EQ(table_of(table, operations), table);
    EXPECT_EQ(operations, formula.operations) << table;
    EXPECT_LE(operations, 5u) << table;
  }
}

INSTANTIATE_TEST_SUITE_P(Codes, RunsTest, testing::Values(RunCode::avx2, RunCode::avx512),
                         [](const auto& info) { return info.param == RunCode::avx2 ? "AVX2" : "AVX512"; });

}  // namespace
}  // namespace lanebank::machine::test
