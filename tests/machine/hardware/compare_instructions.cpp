// Shows where the machine and a device differ: of every case of DIFFERENT (made by record_instructions) its text and the
// first lanes' words, with what the registers held before. With --words N more of them.
//
//   compare_instructions CASES CUBIN DIFFERENT [WORDS [ROW]]
#include <cstdio>
#include <cstdlib>
#include <map>

#include "hardware/instruction_probe_machine.hpp"

namespace {

using namespace lanebank::probe;

struct Kept {
  u32 round;
  std::vector<u32> words;  ///< record, then scratch; xor what they were before
};

std::string place(unsigned word) {
  if (word < registers) return "R" + std::to_string(first_register + word);
  if (word == predicate_word) return "P";
  if (word == uniform_predicate_word) return "UP";
  if (word >= uniform_word && word < shared_word) return "UR" + std::to_string(first_uniform + word - uniform_word);
  if (word >= local_word) return "local" + std::to_string(4 * (word - local_word));
  return "shared" + std::to_string(4 * (word - shared_word));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: compare_instructions CASES CUBIN DIFFERENT [WORDS [ROW]]\n");
    return 125;
  }
  const std::vector<Case> cases = read_cases(argv[1]);
  const unsigned limit = argc > 4 ? static_cast<unsigned>(std::atoi(argv[4])) : 4;
  std::map<u32, std::vector<Kept>> kept;
  std::ifstream file(argv[3], std::ios::binary);
  constexpr std::size_t words = 32 * record_words + scratch_bytes / 4;
  for (u32 head[2]; file.read(reinterpret_cast<char*>(head), 8);) {
    Kept k{head[1], std::vector<u32>(words)};
    file.read(reinterpret_cast<char*>(k.words.data()), words * 4);
    kept[head[0]].push_back(std::move(k));
  }
  const std::vector<std::byte> cubin = read_bytes(argv[2]);
  for (const auto& [index, rounds_kept] : kept) {
    const Case& c = cases.at(index);
    if (argc > 5 && c.row != argv[5]) continue;
    const Buffers in = inputs(c);
    run_on_machine(std::span(&c, 1), cubin, false, [&](const Case&, const Ran& ran) {
      std::string text;
      for (const Word& w : c.words)
        text += (text.empty() ? "" : " ; ") + lanebank::sass::disassemble(lanebank::sass::decode(w, 0, 90), 90);
      std::printf("%s %s %llx %llx: %s%s%s\n", c.row.c_str(), c.address.c_str(),
                  static_cast<unsigned long long>(c.words[0].low), static_cast<unsigned long long>(c.words[0].high),
                  text.c_str(), ran.fault.empty() ? "" : "   FAULT ", ran.fault.c_str());
      unsigned shown = 0, different = 0;
      for (const Kept& k : rounds_kept) {
        for (unsigned i = 0; i < 32 * record_words; ++i) {
          const std::size_t at = k.round * 32 * record_words + i;
          const u32 device = k.words[i] ^ in.records[at], machine = ran.records[at];
          if (ran.fault.empty() ? device == machine : k.words[i] == 0) continue;
          ++different;
          if (shown++ >= limit) continue;
          const u32* r = &in.records[at - i % record_words];
          std::printf(
              "   round %u lane %u %s: device %08x machine %08x  was %08x | a %08x %08x b %08x %08x c %08x %08x P %02x "
              "UP "
              "%02x UR8 %08x UR12 %08x UR16 %08x UR20 %08x\n",
              k.round, i / record_words, place(i % record_words).c_str(), device, machine, in.records[at], r[8], r[9],
              r[24], r[25], r[32], r[33], r[44], r[45], r[52], r[56], r[60], r[64]);
        }
        for (unsigned i = 0; i < scratch_bytes / 4; ++i) {
          const std::size_t at = k.round * scratch_bytes / 4 + i;
          const u32 device = k.words[32 * record_words + i] ^ in.scratch[at], machine = ran.scratch[at];
          if (ran.fault.empty() ? device == machine : k.words[32 * record_words + i] == 0) continue;
          ++different;
          if (shown++ >= limit) continue;
          unsigned lane = 0;  // whose slot it is
          for (unsigned l = 0; l < 32; ++l)
            if (in.records[(k.round * 32 + l) * record_words + 8] == i / 4 * 16) lane = l;
          const u32* r = &in.records[(k.round * 32 + lane) * record_words];
          std::printf("   round %u lane %u global+%u: device %08x machine %08x was %08x | b %08x c %08x\n", k.round,
                      lane, 4 * i, device, machine, in.scratch[at], r[24 + i % 4], r[32 + i % 4]);
        }
      }
      std::printf("   %u words differ\n", different);
    });
  }
}
