// What counting one shared access costs the machine: nanoseconds per access, one core.
//
//   bench_conflicts
//
// Each case sends the same 4,096 accesses again and again to the conflict counter's recorder, through the interface
// that the machine calls. Before a case is timed, one round of it is held against the bank model, access by access.
// "model" is the cost of lanebank::cost, which the counter avoids.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "checks/conflicts.hpp"

namespace {

using namespace lanebank;

constexpr unsigned access_count = 4096;

struct Event {
  machine::SharedKind kind = machine::SharedKind::load;
  std::uint32_t mask = 0xffffffffu;
  alignas(64) std::uint32_t addresses[lanes_per_warp];
};

/// A stream of accesses of one instruction.
using Stream = std::vector<Event>;

template <class F>
Stream stream(F address, std::uint32_t mask = 0xffffffffu, machine::SharedKind kind = machine::SharedKind::load) {
  Stream events(access_count);
  for (unsigned i = 0; i < access_count; ++i) {
    events[i].kind = kind;
    events[i].mask = mask;
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane) events[i].addresses[lane] = address(i, lane);
  }
  return events;
}

Access access_of(const Event& event) {
  Access access;
  access.kind = static_cast<AccessKind>(event.kind);
  access.active_lanes = event.mask;
  std::copy_n(event.addresses, lanes_per_warp, access.addresses);
  return access;
}

void send(machine::Recorder& recorder, const Stream& events) {
  machine::SharedAccess access;
  for (const Event& event : events) {
    access.kind = event.kind;
    access.mask = event.mask;
    access.addresses = event.addresses;
    recorder.shared_access({}, access);
  }
}

machine::LaunchInfo launch() {
  machine::LaunchInfo info;
  info.instructions.resize(1);
  return info;
}

/// Does one round count what the model says?
bool correct(const Stream& events) {
  checks::ConflictObserver observer;
  std::vector<std::unique_ptr<machine::Recorder>> recorders;
  recorders.push_back(observer.recorder(launch()));
  send(*recorders[0], events);
  observer.finish(launch(), std::move(recorders));
  std::uint64_t wavefronts = 0;
  for (const Event& event : events) wavefronts += cost(access_of(event)).wavefronts;
  return observer.report().instructions.at(0).wavefronts == wavefronts;
}

void count(benchmark::State& state, const Stream& events) {
  if (!correct(events)) {
    state.SkipWithError("the counts differ from the bank model");
    return;
  }
  checks::ConflictObserver observer;
  const std::unique_ptr<machine::Recorder> recorder = observer.recorder(launch());
  for (auto round : state) send(*recorder, events);
  state.SetItemsProcessed(state.iterations() * access_count);
  state.counters["time_per_access"] =
      benchmark::Counter(access_count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void model(benchmark::State& state, const Stream& events) {
  std::vector<Access> accesses;
  for (const Event& event : events) accesses.push_back(access_of(event));
  for (auto round : state)
    for (const Access& access : accesses) benchmark::DoNotOptimize(cost(access).wavefronts);
  state.counters["time_per_access"] =
      benchmark::Counter(access_count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

const Stream column = stream([](unsigned i, unsigned lane) { return lane * 128 + i % 32 * 4; });
const Stream half_warp = stream([](unsigned i, unsigned lane) { return lane * 128 + i % 32 * 4; }, 0x0000ffffu);
const Stream swizzled = stream([](unsigned i, unsigned lane) { return lane * 128 + (lane ^ i % 32) * 4; });
const Stream in_runs = stream([](unsigned i, unsigned lane) { return lane * 128 + (lane ^ i / 4 % 32) * 4; });
const Stream one_of_32 = stream([order = std::mt19937(1), last = ~0u, row = 0u](unsigned i, unsigned lane) mutable {
  if (i != last) row = static_cast<unsigned>(order()) % 32, last = i;
  return lane * 128 + (lane ^ row) * 4;
});
const Stream atomic_random =
    stream([order = std::mt19937(1)](unsigned, unsigned) mutable { return order() % 1024 * 4; }, 0xffffffffu,
           machine::SharedKind::atomic);

BENCHMARK_CAPTURE(count, one_pattern, column);
BENCHMARK_CAPTURE(count, one_pattern_half_warp, half_warp);
BENCHMARK_CAPTURE(count, cycle_of_32_patterns, swizzled);
BENCHMARK_CAPTURE(count, runs_of_4_of_32_patterns, in_runs);
BENCHMARK_CAPTURE(count, random_of_32_patterns, one_of_32);
BENCHMARK_CAPTURE(count, random_atomics_4096_patterns, atomic_random);
BENCHMARK_CAPTURE(model, column, column);
BENCHMARK_CAPTURE(model, random_atomics, atomic_random);

}  // namespace

BENCHMARK_MAIN();
