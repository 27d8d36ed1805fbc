// What is known of the cells of a block's shared memory: who wrote and who read each last, and when.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace lanebank::checks {

/// Who accessed a cell, when, by which instruction: interval in bits 40..63, flags 38..39, instruction 10..31, warp 5..9,
/// lane 0..4.
using Stamp = std::uint64_t;
inline constexpr Stamp nobody = 0;  // intervals count from 1
inline constexpr std::uint32_t instruction_limit = 1u << 22;
inline constexpr std::uint32_t last_time =
    (1u << 24) - 1;  // what comes later counts as then: races are not seen any more
inline constexpr Stamp atomic_flag = std::uint64_t{1} << 38;  ///< of writes: by an atomic
inline constexpr Stamp copy_flag = std::uint64_t{1} << 39;    ///< of writes: by an asynchronous copy
/// Of reads: other lanes of the warp read it since they were last in order too.
inline constexpr Stamp several_flag = std::uint64_t{1} << 38;

constexpr Stamp stamp(std::uint32_t time, std::uint32_t instruction, unsigned warp, unsigned lane) {
  return std::uint64_t{time} << 40 | std::uint64_t{instruction} << 10 | warp << 5 | lane;
}
constexpr std::uint32_t time_of(Stamp s) { return static_cast<std::uint32_t>(s >> 40); }
constexpr std::uint32_t instruction_of(Stamp s) {
  return static_cast<std::uint32_t>(s >> 10) & (instruction_limit - 1);
}
constexpr unsigned warp_of(Stamp s) { return static_cast<unsigned>(s >> 5) & 31; }
constexpr unsigned lane_of(Stamp s) { return static_cast<unsigned>(s) & 31; }
/// Written, before all that this block does.
inline constexpr Stamp written_before = stamp(0, 0, 0, 1);

struct Cells {
  std::vector<Stamp> write;         ///< the last one
  std::vector<Stamp> read;          ///< the last one since the write
  std::vector<Stamp> read_before;   ///< the last one since the write by another warp than that
  std::vector<std::uint32_t> copy;  ///< where the write has copy_flag: the group of copies

  std::size_t size() const { return write.size(); }
  void reset(std::size_t count) {
    for (auto* list : {&write, &read, &read_before}) list->resize(count);
    copy.resize(count);
    static_assert(nobody == 0);
    std::memset(write.data(), 0, count * sizeof(Stamp));
    std::memset(read.data(), 0, count * sizeof(Stamp));
  }
  bool is_touched(std::size_t n) const { return write[n] != nobody || read[n] != nobody; }
  /// Each cell becomes `parts` alike.
  void split(unsigned parts) {
    const auto repeat = [parts](auto& list) {
      std::remove_reference_t<decltype(list)> finer;
      finer.reserve(list.size() * parts);
      for (const auto& value : list) finer.insert(finer.end(), parts, value);
      list = std::move(finer);
    };
    repeat(write), repeat(read), repeat(read_before), repeat(copy);
  }
};

}  // namespace lanebank::checks
