// S2R, S2UR, CS2R: special registers. Their numbers and what lanebank makes of them: special_registers.def.
#include "machine/lanes/alu.hpp"
#include "machine/lanes/uniform.hpp"
#include "machine/launch_state.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

using nm::Word;

/// Cycles, and nanoseconds, that pass between two reads of a clock by one worker.
constexpr unsigned clock_step = 64;

enum class Source : std::uint8_t {
  NONE,
  lane,
  clock_low,
  clock_high,
  timer_low,
  timer_high,
  warp_slots,
  warp_slot,
  thread_x,
  thread_y,
  thread_z,
  block_x,
  block_y,
  block_z,
  local_window,
  shared_window,
  shared_size,
  mask_equal,
  mask_less,
  mask_less_equal,
  mask_greater,
  mask_greater_equal,
  multiprocessor,
  cluster_rank,
  zero,
};

constexpr bool differs_by_lane(Source source) {
  switch (source) {
    case Source::lane:
    case Source::thread_x:
    case Source::thread_y:
    case Source::thread_z:
    case Source::mask_equal:
    case Source::mask_less:
    case Source::mask_less_equal:
    case Source::mask_greater:
    case Source::mask_greater_equal:
      return true;
    default:
      return false;
  }
}

/// A register that all lanes see alike.
template <Source source>
LANEBANK_INLINE std::uint64_t scalar_value(Warp& w) {
  if constexpr (source == Source::clock_low || source == Source::timer_low) return w.worker->clock += clock_step;
  if constexpr (source == Source::clock_high || source == Source::timer_high) return w.worker->clock >> 32;
  if constexpr (source == Source::warp_slots) return w.launch->facts->threads_per_multiprocessor / 32 << 8;
  if constexpr (source == Source::warp_slot) return w.thread_base / 32 << 8;
  if constexpr (source == Source::block_x) return w.block->index[0];
  if constexpr (source == Source::block_y) return w.block->index[1];
  if constexpr (source == Source::block_z) return w.block->index[2];
  if constexpr (source == Source::local_window) return local_window_high;
  if constexpr (source == Source::shared_window) return shared_window_high;
  if constexpr (source == Source::shared_size) {
    const std::uint32_t unit = w.launch->facts->architecture == 75 ? 256 : 128;
    return w.launch->facts->shared_window_base + (w.launch->shared_bytes + unit - 1) / unit * unit;
  }
  if constexpr (source == Source::multiprocessor) return w.block->linear % multiprocessor_count;
  if constexpr (source == Source::cluster_rank) return w.block->cluster_rank;
  return 0;
}

/// A register that differs by lane.
template <Source source>
LANEBANK_INLINE void lane_values(const Warp& w, Word* row) {
  if constexpr (source == Source::thread_x || source == Source::thread_y || source == Source::thread_z) {
    const std::uint32_t* block = w.launch->block;
    const Word x_factor = nm::index_factor(block[0]);
    const Word y_factor = source == Source::thread_x ? 0 : nm::index_factor(block[1]);
    LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) {
      const Word n = w.thread_base + i, line = nm::divide_index(n, x_factor);
      if constexpr (source == Source::thread_x) row[i] = n - line * block[0];
      if constexpr (source == Source::thread_y) row[i] = line - nm::divide_index(line, y_factor) * block[1];
      if constexpr (source == Source::thread_z) row[i] = nm::divide_index(line, y_factor);
    }
  } else {
    LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) {
      const Word self = Word{1} << i;
      if constexpr (source == Source::lane) row[i] = i;
      if constexpr (source == Source::mask_equal) row[i] = self;
      if constexpr (source == Source::mask_less) row[i] = self - 1;
      if constexpr (source == Source::mask_less_equal) row[i] = self | (self - 1);
      if constexpr (source == Source::mask_greater) row[i] = ~(self | (self - 1));
      if constexpr (source == Source::mask_greater_equal) row[i] = ~(self - 1);
    }
  }
}

/// S2R and CS2R.32; with `pair`, CS2R of 64 bits.
template <Source source, bool pair>
const Operation* read_special(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  Word* d = w.row(op->d);
  if constexpr (differs_by_lane(source)) {
    alignas(64) Word row[32];
    lane_values<source>(w, row);
    for (unsigned v = 0; v < vector_count; ++v) store_lanes(mask, d, v, load(row, v));
    if constexpr (pair)
      for (unsigned v = 0; v < vector_count; ++v) store_lanes(mask, d + 32, v, Words{});
  } else {
    const std::uint64_t value = scalar_value<source>(w);
    for (unsigned v = 0; v < vector_count; ++v) store_lanes(mask, d, v, splat(static_cast<Word>(value)));
    if constexpr (pair)
      for (unsigned v = 0; v < vector_count; ++v) store_lanes(mask, d + 32, v, splat(static_cast<Word>(value >> 32)));
  }
  return op + 1;
}

template <Source source>
const Operation* read_special_uniform(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  if constexpr (differs_by_lane(source)) {
    alignas(64) Word row[32];
    lane_values<source>(w, row);
    set_uniform(w, op->d, row[first_lane(mask)]);
  } else {
    set_uniform(w, op->d, static_cast<Word>(scalar_value<source>(w)));
  }
  return op + 1;
}

constexpr FusedSpecial fused_special(Source source) {
  switch (source) {
    case Source::thread_x:
      return FusedSpecial::thread_x;
    case Source::thread_y:
      return FusedSpecial::thread_y;
    case Source::thread_z:
      return FusedSpecial::thread_z;
    case Source::block_x:
      return FusedSpecial::block_x;
    case Source::block_y:
      return FusedSpecial::block_y;
    case Source::block_z:
      return FusedSpecial::block_z;
    case Source::cluster_rank:
      return FusedSpecial::cluster_rank;
    default:
      return FusedSpecial::none;
  }
}

enum class Reader : std::uint8_t { word, pair, uniform };

void fuse_special(Lowering& l, FusedSpecial source, Reader reader) {
  if (source == FusedSpecial::none || reader == Reader::pair) return;
  l.fuse(reader == Reader::word ? FusedKind::special : FusedKind::special_uniform, From::row, From::row,
         static_cast<unsigned>(source));
}

template <Source source>
Execute select_reader(Reader reader) {
  switch (reader) {
    case Reader::word:
      return &read_special<source, false>;
    case Reader::pair:
      return &read_special<source, true>;
    default:
      return &read_special_uniform<source>;
  }
}

/// Fills `execute`, or says why the register of field 72:80 is not read.
void lower_special(Lowering& l, Reader reader) {
#define supported nullptr
#define unsupported(why) "a special register that lanebank does not have: " why
  switch (l.bits(72, 80)) {
#define LANEBANK_SPECIAL_REGISTER(number, name, source, status) \
  case number: {                                                \
    const char* reason = status;                                \
    if (reason != nullptr) l.unsupported = reason;              \
    l.op.execute = select_reader<Source::source>(reader);       \
    fuse_special(l, fused_special(Source::source), reader);     \
    return;                                                     \
  }
#include "machine/special_registers.def"
#undef LANEBANK_SPECIAL_REGISTER
    default:
      l.unsupported = "a special register that lanebank does not know";
  }
#undef supported
#undef unsupported
}

}  // namespace

void lower_S2R(Lowering& l) {
  l.op.d = l.d();
  lower_special(l, Reader::word);
}

void lower_CS2R(Lowering& l) {
  const bool pair = l.bit(80);
  l.op.d = l.d(pair ? 2 : 1);
  lower_special(l, pair ? Reader::pair : Reader::word);
}

void lower_S2UR(Lowering& l) {
  l.op.d = static_cast<std::uint16_t>(l.bits(16, 22));
  lower_special(l, Reader::uniform);
}

}  // namespace lanebank::machine::LANEBANK_SIMD
