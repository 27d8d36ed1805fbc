// The probe: a kernel around the instructions under test, in machine code made here, so that every encoding can be
// run with any operands, on the device and on the machine alike.
//
//   one warp a block, `rounds` blocks; per lane a record of `record_words` words in, and one out:
//     R16..R59, P0..P6, UP0..UP6, 2 words unused, UR4..UR27, 8 words of shared memory, 16 of local memory
//   and `scratch_bytes` of global memory a block.
//
// Everything is loaded, the instructions under test run, everything is stored. The cubin instruction_probe_sm90a.cubin
// (from instruction_probe.cu) gives the kernels' frame; their code is replaced. A Case says how R24 becomes an address.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/arithmetic_operands.hpp"
#include "image/elf.hpp"
#include "sass/instruction.hpp"

namespace lanebank::probe {

using arithmetic::Random;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using sass::Word;

constexpr unsigned rounds = 16, first_register = 16, registers = 44, first_uniform = 4, uniforms = 24;
constexpr unsigned predicate_word = 44, uniform_predicate_word = 45, uniform_word = 48;
constexpr unsigned shared_word = 72, shared_words = 8, local_word = 80, local_words = 16;
constexpr unsigned record_words = 96, scratch_bytes = 1024, constant_words = 56;
constexpr unsigned kernels_per_cubin = 16;

/// A test: one or more instructions (without their scheduling bits), and how operands are made.
struct Case {
  std::string row;      ///< the row of instructions.def that it proves
  std::string address;  ///< how R24 becomes an address: see address_code; "-" for none
  std::vector<Word> words;
  u64 hash = 0;
  bool touches_memory() const { return address != "-"; }
};

inline u64 hash_words(const u32* words, std::size_t count, u64 value = 0xcbf29ce484222325u) {
  for (std::size_t i = 0; i < count; ++i) value = (value ^ words[i]) * 0x100000001b3u;
  return value;
}

/// Lines `ROW ADDRESS LOW HIGH [LOW HIGH]... [= HASH]`, all numbers hexadecimal; # begins a comment.
inline std::vector<Case> read_cases(const std::string& path) {
  std::vector<Case> cases;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    Case c;
    fields >> c.row >> c.address;
    for (std::string low, high; fields >> low;) {
      fields >> high;
      if (low == "=") {
        c.hash = std::stoull(high, nullptr, 16);
        break;
      }
      c.words.push_back({std::stoull(low, nullptr, 16), std::stoull(high, nullptr, 16)});
    }
    cases.push_back(std::move(c));
  }
  return cases;
}

// ------------------------------------------------------------------------------------------------ operands

inline u32 operand(Random& random, unsigned sort, unsigned index) {
  using arithmetic::edges16, arithmetic::edges32, arithmetic::edges64;
  static constexpr u32 integers[] = {0,
                                     1,
                                     2,
                                     3,
                                     7,
                                     8,
                                     15,
                                     16,
                                     31,
                                     32,
                                     33,
                                     63,
                                     64,
                                     0x7f,
                                     0x80,
                                     0xff,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     0x10000,
                                     0x7fffffff,
                                     1u << 31,
                                     (1u << 31) + 1,
                                     0xfffffffe,
                                     0xffffffff,
                                     0xffff0000,
                                     0x80008000,
                                     0x7fff7fff};
  const u64 r = random();
  if (r >> 61 == 0) sort = static_cast<unsigned>(r >> 56 & 7);
  const u32 low = static_cast<u32>(r);
  switch (sort) {
    case 0:
      return low;
    case 1:
      return integers[low % std::size(integers)];
    case 2:
      return static_cast<u32>(edges32[low % edges32.size()]);
    case 3:  // single-precision numbers of like size
      return (0x3e000000u + (low & 0x3ffffff)) ^ (static_cast<u32>(r >> 40) & 1) << 31;
    case 4:  // pairs of 16-bit numbers
      return static_cast<u32>(edges16[low % edges16.size()] | edges16[(r >> 32) % edges16.size()] << 16);
    case 5:
      return low % 70;
    case 6:  // double-precision numbers, the high word in odd registers
      return static_cast<u32>(index % 2 == 0 ? (low % 3 == 0 ? 0 : low) : edges64[low % edges64.size()] >> 32);
    default:
      return index % 2 == 0 ? low : (0x3fc00000u + (low & 0x3fffff)) ^ (static_cast<u32>(r >> 40) & 1) << 31;
  }
}

struct Buffers {
  std::vector<u32> records;  ///< [round][lane][record_words]
  std::vector<u32> scratch;  ///< [round][scratch_bytes / 4]
};

/// The operands of a case: they depend on its encoding alone.
inline Buffers inputs(const Case& c) {
  u64 seed = 0x1a4eba4c;
  for (const Word& w : c.words) seed = (seed ^ w.low) * 0x9e3779b97f4a7c15u + w.high;
  Random random{seed};
  Buffers b{std::vector<u32>(rounds * 32 * record_words), std::vector<u32>(rounds * scratch_bytes / 4)};
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned sort = round % 8;
    u32* lanes = &b.records[round * 32 * record_words];
    u32 slots[32];
    for (u32 i = 0; i < 32; ++i) slots[i] = i;
    for (unsigned i = 31; i > 0; --i) std::swap(slots[i], slots[random() % (i + 1)]);
    for (unsigned lane = 0; lane < 32; ++lane) {
      u32* r = lanes + lane * record_words;
      for (unsigned i = 0; i < registers; ++i) r[i] = operand(random, sort, i);
      r[predicate_word] = static_cast<u32>(random() & 0x7f);
      for (unsigned i = shared_word; i < record_words; ++i) r[i] = operand(random, sort, i);
      if (c.touches_memory()) r[24 - first_register] = 256 + 16 * slots[lane], r[25 - first_register] = 0;
    }
    const u32 uniform_predicates = static_cast<u32>(random() & 0x7f);
    for (unsigned i = 0; i < uniforms; ++i) {
      const u32 value = operand(random, sort, i);
      for (unsigned lane = 0; lane < 32; ++lane) lanes[lane * record_words + uniform_word + i] = value;
    }
    for (unsigned lane = 0; lane < 32; ++lane) lanes[lane * record_words + uniform_predicate_word] = uniform_predicates;
    for (unsigned i = 0; i < scratch_bytes / 4; ++i)
      b.scratch[round * scratch_bytes / 4 + i] = operand(random, sort, i);
  }
  return b;
}

/// The words in c[0x0][0x228...], the same for every case.
inline std::vector<u32> constants() {
  Random random{77};
  std::vector<u32> words(constant_words);
  for (unsigned i = 0; i < constant_words; ++i) words[i] = operand(random, i / 2 % 8, i);
  return words;
}

// ----------------------------------------------------------------------------------------------- the code

/// Writes instructions with their scheduling bits: every one waits for all scoreboards, and 15 cycles pass after it.
class Code {
 public:
  std::vector<Word> words;

  enum Scoreboard { none, writes, reads, both };
  void put(u64 low, u64 high, Scoreboard scoreboard = none) {
    const u64 write = scoreboard == writes || scoreboard == both ? 0 : 7;
    const u64 read = scoreboard == reads || scoreboard == both ? 1 : 7;
    words.push_back({low, (high & ((u64{1} << 41) - 1)) | (15 | write << 5 | read << 8 | u64{0x3f} << 11) << 41});
  }
  void nop(unsigned count = 1) {
    while (count-- > 0) put(0x7918, 0);
  }
  void s2r(u64 d, u64 special) { put(0x7919 | d << 16, special << 8, writes); }
  void ldc64(u64 d, u64 offset) { put(0x7b82 | d << 16 | 0xffull << 24 | offset << 38, 0xa00, writes); }
  void ldc(u64 d, u64 offset) { put(0x7b82 | d << 16 | 0xffull << 24 | offset << 38, 0x800, writes); }
  void uldc64(u64 d, u64 offset) { put(0x7ab9 | d << 16 | offset << 38, 0xa00); }
  /// d = a * value + c, 64 bits
  void scale_add(u64 d, u64 a, u64 value, u64 c) { put(0x7825 | d << 16 | a << 24 | value << 32, 0x78e0000 | c); }
  void imad(u64 d, u64 a, u64 value, u64 c) { put(0x7824 | d << 16 | a << 24 | value << 32, 0x78e0000 | c); }
  void ldg128(u64 d, u64 a, u64 offset) {
    put(0x7981 | d << 16 | a << 24 | descriptor << 32 | offset << 40, 0xc1e1d00, writes);
  }
  void stg128(u64 a, u64 offset, u64 data) {
    put(0x7986 | a << 24 | data << 32 | offset << 40, 0xc101d00 | descriptor, reads);
  }
  void sts128(u64 a, u64 offset, u64 data) { put(0x7388 | a << 24 | data << 32 | offset << 40, 0xc00, reads); }
  void lds128(u64 d, u64 a, u64 offset) { put(0x7984 | d << 16 | a << 24 | offset << 40, 0xc00, writes); }
  void stl128(u64 a, u64 offset, u64 data) { put(0x7387 | a << 24 | data << 32 | offset << 40, 0x100c00, reads); }
  void ldl128(u64 d, u64 a, u64 offset) { put(0x7983 | d << 16 | a << 24 | offset << 40, 0x100c00, writes); }
  void r2ur(u64 d, u64 a) { put(0x72ca | d << 16 | a << 24, 0xe0000); }
  void mov(u64 d, u64 b) { put(0x7202 | d << 16 | b << 32, 0xf00); }
  void mov_uniform(u64 d, u64 b) { put(0x7c02 | d << 16 | b << 32, 0x8000f00); }
  void umov(u64 d, u64 value) { put(0x7882 | d << 16 | value << 32, 0); }
  /// UPp = (a & value) != 0
  void utest(u64 p, u64 a, u64 value) {
    put(0x7892 | 63ull << 16 | a << 24 | value << 32, 0x3f | 0xc000 | p << 17 | 7ull << 20 | 0xf800000);
  }
  /// d = UPp ? value : 0
  void usel(u64 d, u64 value, u64 p) {
    put(0x7887 | d << 16 | 63ull << 24 | value << 32, p << 23 | 1ull << 26 | 0x8000000);
  }
  void uor(u64 d, u64 a, u64 b) {
    put(0x7292 | d << 16 | a << 24 | b << 32, 0x3f | 0xfc00 | 7ull << 17 | 7ull << 20 | 0xf800000);
  }
  void r2p(u64 a, u64 mask) { put(0x7804 | a << 24 | mask << 32, 0); }
  void p2r(u64 d, u64 mask) { put(0x7803 | d << 16 | 0xffull << 24 | mask << 32, 0); }
  void add(u64 d, u64 a, u64 b) { put(0x7210 | d << 16 | a << 24 | b << 32, 0x7ffe0ff); }
  /// d, d+1 = a, a+1 + b, b+1; sets P0
  void add64(u64 d, u64 a, u64 b) {
    put(0x7210 | d << 16 | a << 24 | b << 32, 0x7f1e0ff);
    put(0x7210 | (d + 1) << 16 | (a + 1) << 24 | (b + 1) << 32, 0x7e0ff | 0x780000 | 0x1e000 | 0x400);
  }
  void add_immediate(u64 d, u64 a, u64 value) {
    put(0x7810 | d << 16 | a << 24 | (value & 0xffffffff) << 32, 0x7ffe0ff);
  }
  void exit() {
    put(0x794d, 0x3800000);
    put(0xfffffffc00fc7947, 0x383ffff);
  }

  static constexpr u64 descriptor = 30, rz = 255;
};

/// Which scoreboards an instruction needs, by its opcode bits 0:12, as compilers set them.
inline Code::Scoreboard scoreboard(const Word& word) {
  const unsigned opcode = static_cast<unsigned>(word.bits(0, 12)), low = opcode & 0x1ff;
  if (low >= 0x100 && low <= 0x113) return Code::writes;  // transcendental functions, conversions, counts of bits
  static constexpr unsigned with_result[] = {0x23a, 0x23f, 0x381, 0x389, 0x38a, 0x38b, 0x38c, 0x38d, 0x3a1, 0x3a2,
                                             0x3a3, 0x3a8, 0x3a9, 0x3aa, 0x31c, 0x355, 0x3c4, 0x582, 0x589, 0x5a7,
                                             0x83b, 0x919, 0x980, 0x981, 0x983, 0x984, 0x989, 0x98a, 0x98c, 0x9a2,
                                             0x9a3, 0x9a7, 0x9a8, 0x9aa, 0x9c3, 0xb82, 0xf89, 0xf8c};
  static constexpr unsigned without[] = {0x385, 0x386, 0x387, 0x388, 0x844, 0x985, 0x986, 0x987, 0x988,
                                         0x98e, 0x9a6, 0x992, 0x98f, 0xd8f, 0x5b2, 0x9b1, 0x9b7, 0x31d,
                                         0x3ba, 0x3bb, 0x3bc, 0x51d, 0x91d, 0xdae, 0xdbd, 0xdbe, 0xfae};
  if (std::find(std::begin(with_result), std::end(with_result), opcode) != std::end(with_result)) return Code::both;
  if (std::find(std::begin(without), std::end(without), opcode) != std::end(without)) return Code::reads;
  return Code::none;
}

/// R24 holds an offset from 256 on; it becomes an address:
///   s shared; g global in R24:R25; u global as 32 bits, base in UR20:UR21; h the same with 64 bits in R24:R25;
///   w shared, generic; l local; v local, generic; d: as s, and UR12 is the first slot's address
inline void address_code(Code& code, const std::string& address) {
  constexpr u64 base = 6, stack = 1;
  if (address == "s") return code.add_immediate(24, 24, 0x400);
  if (address == "d") {
    code.add_immediate(24, 24, 0x400);
    return code.umov(12, 0x400);
  }
  if (address == "g") return code.add64(24, 24, base);
  if (address == "u" || address == "h") {
    code.r2ur(20, base);
    code.r2ur(21, base + 1);
    return;
  }
  if (address == "w") {
    code.add_immediate(24, 24, 0x400);
    return code.s2r(25, 0x2f);
  }
  // Each lane has its own words: 16 bytes in 64.
  if (address == "l" || address == "v") {
    code.imad(24, Code::rz, 0, stack);
    code.add_immediate(24, 24, u64(-32));
    if (address == "v") {
      code.ldc64(8, 0x20);
      code.mov(25, Code::rz);
      code.add64(24, 24, 8);
    }
  }
}

inline std::vector<Word> kernel_code(const Case& c) {
  Code code;
  code.ldc(1, 0x28);
  code.s2r(0, 0x21);   // thread
  code.s2r(12, 0x25);  // block
  code.uldc64(Code::descriptor, 0x208);
  code.ldc64(2, 0x210);
  code.ldc64(4, 0x218);
  code.ldc64(6, 0x220);
  code.imad(13, 12, 32, 0);
  code.scale_add(2, 13, 4 * record_words, 2);
  code.scale_add(4, 13, 4 * record_words, 4);
  code.scale_add(6, 12, scratch_bytes, 6);
  for (unsigned i = 0; i < registers; i += 4) code.ldg128(first_register + i, 2, 4 * i);
  for (unsigned i = 0; i < uniforms; i += 4) code.ldg128(60 + i, 2, 4 * (uniform_word + i));
  for (unsigned i = 0; i < uniforms; ++i) code.r2ur(first_uniform + i, 60 + i);
  code.imad(14, 0, 32, Code::rz);  // the lane's words of shared memory
  code.add_immediate(14, 14, 0x400);
  code.add_immediate(15, 1, u64(-64));  // and of local memory
  if (c.touches_memory()) {
    for (unsigned i = 0; i < shared_words; i += 4) {
      code.ldg128(60, 2, 4 * (shared_word + i));
      code.sts128(14, 4 * i, 60);
    }
    for (unsigned i = 0; i < local_words; i += 4) {
      code.ldg128(60, 2, 4 * (local_word + i));
      code.stl128(15, 4 * i, 60);
    }
    address_code(code, c.address);
  }
  code.ldg128(8, 2, 4 * predicate_word);
  code.r2ur(28, 9);
  for (unsigned n = 0; n < 7; ++n) code.utest(n, 28, 1u << n);
  code.r2p(8, 0x7f);
  code.nop(2);
  for (const Word& word : c.words) code.put(word.low, word.high, scoreboard(word));
  code.nop(12);
  if (c.touches_memory())
    for (unsigned n = 24; n < 26; ++n) code.mov(n, Code::rz);
  code.p2r(8, 0x7f);
  code.umov(28, 0);
  for (unsigned n = 0; n < 7; ++n) {
    code.usel(29, 1u << n, n);
    code.uor(28, 28, 29);
  }
  code.mov_uniform(9, 28);
  code.mov(10, Code::rz);
  code.mov(11, Code::rz);
  if (c.address == "u" || c.address == "h") {
    code.umov(20, 0);
    code.umov(21, 0);
  }
  for (unsigned i = 0; i < uniforms; ++i) code.mov_uniform(60 + i, first_uniform + i);
  for (unsigned i = 0; i < registers; i += 4) code.stg128(4, 4 * i, first_register + i);
  code.stg128(4, 4 * predicate_word, 8);
  for (unsigned i = 0; i < uniforms; i += 4) code.stg128(4, 4 * (uniform_word + i), 60 + i);
  if (c.touches_memory()) {
    for (unsigned i = 0; i < shared_words; i += 4) {
      code.lds128(60, 14, 4 * i);
      code.stg128(4, 4 * (shared_word + i), 60);
    }
    for (unsigned i = 0; i < local_words; i += 4) {
      code.ldl128(60, 15, 4 * i);
      code.stg128(4, 4 * (local_word + i), 60);
    }
  }
  code.exit();
  return code.words;
}

/// Puts the code of `cases` into the kernels probe0, probe1... of the cubin file in `bytes`.
inline bool fill_cubin(std::vector<std::byte>& bytes, const Case* cases, std::size_t count) {
  const auto elf = image::read_elf(bytes);
  if (!elf) return false;
  std::size_t filled = 0;
  for (const image::ElfSection& section : elf->sections) {
    if (!section.name.starts_with(".text.probe")) continue;
    const std::size_t n = std::stoul(std::string(section.name.substr(11)));
    if (n >= count) continue;
    std::vector<Word> code = kernel_code(cases[n]);
    if (code.size() * sizeof(Word) > section.bytes.size()) return false;
    code.resize(section.bytes.size() / sizeof(Word), {0x7918, u64{0x7e0} << 41});
    std::memcpy(bytes.data() + (section.bytes.data() - bytes.data()), code.data(), code.size() * sizeof(Word));
    ++filled;
  }
  return filled == count;
}

/// Hash of what a case left behind, round by round.
inline std::vector<u64> round_hashes(const u32* records, const u32* scratch) {
  std::vector<u64> hashes;
  for (unsigned round = 0; round < rounds; ++round)
    hashes.push_back(hash_words(scratch + round * scratch_bytes / 4, scratch_bytes / 4,
                                hash_words(records + round * 32 * record_words, 32 * record_words)));
  return hashes;
}
inline u64 total_hash(const std::vector<u64>& hashes) {
  u64 value = 0xcbf29ce484222325u;
  for (const u64 h : hashes) value = (value ^ h) * 0x100000001b3u;
  return value;
}

}  // namespace lanebank::probe
