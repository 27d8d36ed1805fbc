// What the machine makes of the probe's cases: one line each, `INDEX FAULT|HASH...` with a hash a round, for
// record_instructions.cpp, which then keeps the device's words where they differ.
//
//   predict_instructions CASES CUBIN > PREDICTED
#include <cstdio>

#include "hardware/instruction_probe_machine.hpp"

int main(int argc, char** argv) {
  using namespace lanebank::probe;
  if (argc != 3) {
    std::fprintf(stderr, "usage: predict_instructions CASES CUBIN\n");
    return 125;
  }
  unsigned index = 0;
  run_on_machine(read_cases(argv[1]), read_bytes(argv[2]), false, [&](const Case& c, const Ran& ran) {
    std::printf("%u", index++);
    if (!ran.fault.empty()) {
      std::printf(" fault\n");
      std::fprintf(stderr, "%s %s %llx %llx: %s\n", c.row.c_str(), c.address.c_str(),
                   static_cast<unsigned long long>(c.words[0].low), static_cast<unsigned long long>(c.words[0].high),
                   ran.fault.c_str());
      return;
    }
    for (const u64 h : round_hashes(ran.records.data(), ran.scratch.data()))
      std::printf(" %016llx", static_cast<unsigned long long>(h));
    std::printf("\n");
  });
}
