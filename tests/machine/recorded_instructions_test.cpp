// Every encoding of data/instructions_h200.txt, replayed: the probe (hardware/instruction_probe.hpp) leaves the same words
// in all registers, predicates and memories as it did on an H200. Where one differs,
// hardware/compare_instructions.py on a recording shows the words.
#include <gtest/gtest.h>

#include "hardware/instruction_probe_machine.hpp"

namespace lanebank::probe {
namespace {

const std::string data = LANEBANK_TEST_DATA;

void replay(bool compile_runs) {
  const std::vector<Case> cases = read_cases(data + "/instructions_h200.txt");
  ASSERT_GT(cases.size(), 1000u);
  const std::vector<std::byte> cubin = read_bytes(data + "/instruction_probe_sm90a.cubin");
  std::size_t replayed = 0;
  run_on_machine(cases, cubin, compile_runs, [&](const Case& c, const Ran& ran) {
    ++replayed;
    const std::string text = sass::disassemble(sass::decode(c.words[0], 0, 90), 90);
    EXPECT_EQ(ran.fault, "") << c.row << " " << text;
    EXPECT_EQ(total_hash(round_hashes(ran.records.data(), ran.scratch.data())), c.hash) << c.row << " " << text;
  });
  EXPECT_EQ(replayed, cases.size());
}

TEST(RecordedInstructions, LeaveWhatTheHardwareLeaves) { replay(false); }

TEST(RecordedInstructions, LeaveTheSameWhenStretchesAreCompiled) { replay(true); }

}  // namespace
}  // namespace lanebank::probe
