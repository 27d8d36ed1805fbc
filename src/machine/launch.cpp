// Device::launch: from a request to counts.
#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cstring>
#include <deque>
#include <thread>

#include "base/check.hpp"
#include "machine/device.hpp"
#include "machine/launch_state.hpp"
#include "machine/program.hpp"
#include "machine/scheduler.hpp"
#include "machine/worker_pool.hpp"

namespace lanebank::machine {

namespace {

constexpr std::uint32_t shared_per_multiprocessor = 228 * 1024;

std::uint64_t product(const std::uint32_t (&extent)[3]) { return std::uint64_t{extent[0]} * extent[1] * extent[2]; }

std::uint32_t round_up(std::uint32_t value, std::uint32_t to) { return (value + to - 1) / to * to; }

template <class T>
void put(std::vector<std::byte>& bank, std::uint32_t offset, T value) {
  if (bank.size() < offset + sizeof value) bank.resize(offset + sizeof value);
  std::memcpy(bank.data() + offset, &value, sizeof value);
}

/// Offset of the first parameter in constant bank 0; kernels with over 4 KB of them have their own.
std::uint32_t parameter_base(const LaunchState& launch, const image::Function& function) {
  return function.parameter_base_bytes != 0 ? function.parameter_base_bytes : launch.facts->parameter_base;
}

/// What special registers of sm_90 are read from, as measured on an H200 (tests/machine/hardware/constant_bank.cu).
void put_launch_words(std::vector<std::byte>& bank, const LaunchState& launch) {
  const std::uint32_t reserved = launch.facts->shared_window_base;
  const std::uint64_t cluster_blocks = product(launch.cluster);
  put(bank, 0x2c, launch.dynamic_shared_bytes);
  put(bank, 0x30, launch.grid_id);
  put(bank, 0x68, std::uint32_t{0x120});  // %reserved_smem_offset_end
  put(bank, 0x10c, multiprocessor_count);
  put(bank, 0x110, std::uint32_t{launch.cooperative});
  put(bank, 0x114, reserved);
  put(bank, 0x13c, reserved + launch.shared_bytes);
  put(bank, 0x140, std::uint32_t{launch.clustered});
  for (unsigned n = 0; n < 3; ++n) {
    put(bank, 0x144 + 4 * n, launch.cluster[n]);
    put(bank, 0x150 + 4 * n, 1.0F / static_cast<float>(launch.cluster[n]));
    put(bank, 0x15c + 4 * n, launch.grid[n] / launch.cluster[n]);
  }
  put(bank, 0x188, static_cast<std::uint32_t>(cluster_blocks));
}

/// Constant bank 0 as the driver lays it out: dimensions, windows, stack, parameters.
std::vector<std::byte> constant_bank_0(const LaunchState& launch, const LaunchRequest& request,
                                       const image::Function& function) {
  std::vector<std::byte> bank = launch.module->linked.constant0[request.function];
  const ArchitectureFacts& facts = *launch.facts;
  const std::uint32_t base = parameter_base(launch, function);
  for (unsigned n = 0; n < 3; ++n) {
    put(bank, 4 * n, launch.block[n]);
    put(bank, 12 + 4 * n, launch.grid[n]);
  }
  // Generic addresses of the shared and the local window: code for sm_75 to sm_89 reads both words of both.
  put(bank, 0x18, std::uint32_t{0});
  put(bank, 0x1c, shared_window_high);
  put(bank, 0x20, std::uint32_t{0});
  put(bank, 0x24, local_window_high);
  put(bank, 0x28, launch.local_bytes);
  put(bank, facts.constant3_pointer, launch.module->constant3_address);
  if (facts.architecture >= 90) put_launch_words(bank, launch);
  if (bank.size() < base + request.parameters.size()) bank.resize(base + request.parameters.size());
  std::copy(request.parameters.begin(), request.parameters.end(), bank.begin() + base);
  return bank;
}

/// Blocks that may be resident at once, over all workers.
std::uint64_t resident_limit(const LaunchState& launch) {
  const std::uint64_t by_threads =
      std::max<std::uint64_t>(1, launch.facts->threads_per_multiprocessor / round_up(launch.threads_per_block, 32));
  const std::uint64_t by_shared =
      launch.shared_bytes == 0 ? 32
                               : std::max<std::uint64_t>(1, shared_per_multiprocessor / (launch.shared_bytes + 1024));
  return multiprocessor_count * std::min<std::uint64_t>({by_threads, by_shared, 32});
}

/// Hands out groups of blocks (one block, or the blocks of a cluster) in order.
struct Groups {
  std::uint64_t size = 1;  ///< blocks of a group
  std::uint32_t grid[3], cluster[3];
  std::atomic<std::uint64_t> next{0};
  std::uint64_t count = 0;  ///< that run
  std::uint64_t all = 0;    ///< of the grid

  /// Linear block index of block `rank` of the group that runs as `number`th.
  std::uint64_t block(std::uint64_t number, std::uint32_t rank) const {
    if (count != all) number = static_cast<std::uint64_t>(static_cast<unsigned __int128>(number) * all / count);
    if (size == 1) return number;
    const std::uint64_t across = grid[0] / cluster[0], down = grid[1] / cluster[1];
    const std::uint64_t x = number % across * cluster[0] + rank % cluster[0];
    const std::uint64_t y = number / across % down * cluster[1] + rank / cluster[0] % cluster[1];
    const std::uint64_t z = number / across / down * cluster[2] + rank / cluster[0] / cluster[1];
    return x + grid[0] * (y + std::uint64_t{grid[1]} * z);
  }
};

struct Run {
  LaunchState& launch;
  Groups groups;
  std::uint64_t resident_groups_per_worker = 1;
  std::atomic<std::uint64_t> done_blocks{0};
  const Progress* progress = nullptr;
};

using Group = std::vector<std::unique_ptr<Block>>;

std::unique_ptr<Group> start_group(Run& run, Worker& worker, std::uint64_t number,
                                   std::vector<std::unique_ptr<Group>>& spare) {
  std::unique_ptr<Group> group;
  if (!spare.empty()) {
    group = std::move(spare.back());
    spare.pop_back();
  } else {
    group = std::make_unique<Group>();
    for (std::uint64_t n = 0; n < run.groups.size; ++n) group->push_back(std::make_unique<Block>());
  }
  for (std::uint32_t rank = 0; rank < group->size(); ++rank) {
    Block& block = *(*group)[rank];
    block.cluster_rank = rank;
    block.cluster.clear();
    if (run.groups.size > 1)
      for (auto& member : *group) block.cluster.push_back(member.get());
    start_block(block, run.groups.block(number, rank), run.launch, worker);
  }
  return group;
}

/// Runs every block of the group as far as it goes.
BlockStatus run_group(Group& group, Run& run, Worker& worker) {
  bool all_done = true, stands_still = true;
  for (auto& block : group) {
    if (block->live_warps == 0) continue;
    const std::uint64_t passes = block->free_passes;
    const BlockStatus status = run_block(*block, run.launch, worker);
    if (status == BlockStatus::stopped) return status;
    if (status == BlockStatus::finished) run.done_blocks.fetch_add(1, std::memory_order_relaxed);
    if (status == BlockStatus::stalled) all_done = false;
    if (status == BlockStatus::finished || block->free_passes != passes || !waits_within_cluster(*block))
      stands_still = false;
  }
  if (!all_done && stands_still) {
    const auto block = std::find_if(group.begin(), group.end(), [](const auto& one) { return one->live_warps != 0; });
    raise_endless_wait(**block, run.launch);
    return BlockStatus::stopped;
  }
  return all_done ? BlockStatus::finished : BlockStatus::stalled;
}

void report_progress(Run& run, std::chrono::steady_clock::time_point& last) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last < std::chrono::milliseconds(100)) return;
  last = now;
  (*run.progress)(run.done_blocks.load(std::memory_order_relaxed), run.groups.count * run.groups.size);
}

/// The state of floating-point arithmetic that a program starts with, while this lives. Host programs change theirs (-ffast-math
/// flushes subnormal numbers), and new threads have their creator's.
class DefaultArithmetic {
 public:
  DefaultArithmetic() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultArithmetic() { std::fesetenv(&callers_); }
  DefaultArithmetic(const DefaultArithmetic&) = delete;
  DefaultArithmetic& operator=(const DefaultArithmetic&) = delete;

 private:
  std::fenv_t callers_{};
};

void work(Run& run, Worker& worker) {
  const DefaultArithmetic arithmetic;
  std::deque<std::unique_ptr<Group>> resident;
  std::vector<std::unique_ptr<Group>> spare;
  auto last = std::chrono::steady_clock::now();
  std::size_t stalled_in_a_row = 0;
  const bool reports = worker.number == 0 && *run.progress;
  while (!run.launch.stopped.load(std::memory_order_relaxed)) {
    // A new group when none is here, or when all that are here can only wait.
    if (stalled_in_a_row >= resident.size() && resident.size() < run.resident_groups_per_worker) {
      const std::uint64_t number = run.groups.next.fetch_add(1, std::memory_order_relaxed);
      if (number < run.groups.count) {
        resident.push_front(start_group(run, worker, number, spare));
        stalled_in_a_row = 0;
      } else if (resident.empty()) {
        return;
      }
    }
    std::unique_ptr<Group> group = std::move(resident.front());
    resident.pop_front();
    const BlockStatus status = run_group(*group, run, worker);
    if (status == BlockStatus::stopped) return;
    if (status == BlockStatus::finished) {
      spare.push_back(std::move(group));
      stalled_in_a_row = 0;
    } else {
      resident.push_back(std::move(group));
      if (++stalled_in_a_row > resident.size()) std::this_thread::yield();
    }
    if (reports) report_progress(run, last);
  }
}

}  // namespace

void LaunchState::number_threads() {
  for (auto& indices : thread_indices) indices.resize(std::size_t{32} * warps_per_block);
  for (std::uint32_t n = 0; n < 32 * warps_per_block; ++n) {
    thread_indices[0][n] = n % block[0];
    thread_indices[1][n] = n / block[0] % block[1];
    thread_indices[2][n] = n / block[0] / block[1];
  }
  for (unsigned axis = 0; axis < 3; ++axis) thread_rows[axis] = thread_indices[axis].data();
}

Result<LaunchOutcome> Device::launch(const LaunchRequest& request, std::span<Observer* const> observers,
                                     const Progress& progress) {
  std::lock_guard lock(launch_mutex_);
  const auto began = std::chrono::steady_clock::now();
  Module& module = *request.module;
  LANEBANK_CHECK(request.function < module.cubin.functions.size(),
                 "function index " + std::to_string(request.function));
  const image::Function& function = module.cubin.functions[request.function];
  std::shared_ptr<Program>& program = module.programs[request.function];
  if (!program) {
    auto built = build_program(module, request.function, options_.compile_runs);
    if (!built) return tl::unexpected(built.error());
    program = *built;
  }

  LaunchState launch;
  launch.facts = architecture_facts(module.cubin.architecture);
  launch.program = program.get();
  launch.device = this;
  launch.module = &module;
  launch.textures = textures_.snapshot();
  std::copy_n(request.grid, 3, launch.grid);
  std::copy_n(request.block, 3, launch.block);
  std::copy_n(request.cluster, 3, launch.cluster);
  launch.clustered = request.clustered || product(launch.cluster) > 1;
  launch.cooperative = request.cooperative;
  launch.shared_fill = request.shared_fill;
  launch.silent = request.silent;
  launch.grid_id = ++launches_;
  launch.blocks = product(launch.grid);
  const std::uint64_t threads = product(launch.block);
  if (launch.blocks == 0 || threads == 0 || threads > 1024)
    return fail("launch.configuration", function.symbol,
                "a grid or block of no threads, or of more than 1024 in a block");
  launch.threads_per_block = static_cast<std::uint32_t>(threads);
  launch.warps_per_block = (launch.threads_per_block + 31) / 32;
  launch.number_threads();
  launch.static_shared_bytes = function.static_shared_bytes;
  launch.dynamic_shared_bytes = request.dynamic_shared_bytes;
  launch.shared_bytes = function.static_shared_bytes +
                        request.dynamic_shared_bytes;  // the first dynamic byte follows the last static one
  const bool has_stack =
      program->uses_local || function.frame_bytes != 0 || function.stack_bytes != 0 || program->pieces.size() > 1;
  launch.local_bytes =
      has_stack ? round_up(std::max({function.stack_bytes, function.frame_bytes, request.stack_bytes}), 16) : 0;

  std::vector<std::byte> bank0 = constant_bank_0(launch, request, function);
  // The parameter block in memory, for code that passes a parameter by address.
  std::uint64_t parameters = 0;
  if (launch.facts->parameter_pointer != 0) {
    parameters = memory_.allocate(std::max<std::size_t>(bank0.size(), 16), MemoryKind::module);
    if (parameters == 0)
      return fail("launch.memory", function.symbol, "no device memory is left for the launch's parameters");
    put(bank0, launch.facts->parameter_pointer, parameters + parameter_base(launch, function));
    std::memcpy(reinterpret_cast<void*>(parameters), bank0.data(), bank0.size());
  }
  // What cooperative_groups' grid barrier counts in. An H200 has it in launches that are not cooperative too.
  constexpr std::uint64_t workspace_bytes = 256;
  const std::uint64_t workspace = memory_.allocate(workspace_bytes, MemoryKind::module);
  if (workspace == 0)
    return fail("launch.memory", function.symbol, "no device memory is left for the grid's workspace");
  put(bank0, launch.facts->grid_workspace, static_cast<std::uint32_t>(workspace >> 32));
  put(bank0, launch.facts->grid_workspace + 4, static_cast<std::uint32_t>(workspace));
  auto bank = [&](unsigned number, const std::byte* data, std::size_t bytes) {
    launch.banks[number] = {data, static_cast<std::uint32_t>(bytes)};
  };
  bank(0, bank0.data(), bank0.size());
  const auto& bank2 = module.linked.constant2[request.function];
  bank(2, bank2.data(), bank2.size());
  bank(3, reinterpret_cast<const std::byte*>(module.constant3_address), module.linked.constant3.size());
  bank(4, module.linked.constant4.data(), module.linked.constant4.size());
  resolve_constants(*program, launch);

  LaunchOutcome outcome;
  outcome.info.architecture = module.cubin.architecture;
  std::copy_n(request.grid, 3, outcome.info.grid);
  std::copy_n(request.block, 3, outcome.info.block);
  outcome.info.static_shared_bytes = launch.static_shared_bytes;
  outcome.info.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  outcome.info.instructions = program->instructions;

  Run run{launch, {}};
  run.groups.size = product(launch.cluster);
  std::copy_n(launch.grid, 3, run.groups.grid);
  std::copy_n(launch.cluster, 3, run.groups.cluster);
  run.groups.all = run.groups.count = launch.blocks / run.groups.size;
  if (request.sample_blocks != 0 && !launch.cooperative)
    run.groups.count = std::min(run.groups.all, (request.sample_blocks + run.groups.size - 1) / run.groups.size);
  outcome.blocks = launch.blocks;
  outcome.blocks_run = run.groups.count * run.groups.size;
  run.progress = &progress;
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const unsigned jobs =
      static_cast<unsigned>(std::min<std::uint64_t>(options_.jobs != 0 ? options_.jobs : cores, run.groups.count));
  const std::uint64_t resident =
      launch.cooperative ? run.groups.count : std::max<std::uint64_t>(1, resident_limit(launch) / run.groups.size);
  run.resident_groups_per_worker = (resident + jobs - 1) / jobs;

  std::vector<Worker> workers(jobs);
  std::vector<std::vector<std::unique_ptr<Recorder>>> recorders(observers.size());
  for (unsigned n = 0; n < jobs; ++n) {
    Worker& worker = workers[n];
    worker.number = n;
    worker.counts.resize(program->operations.size());
    worker.run_counts.resize(program->runs ? program->runs->runs.size() : 0);
    for (std::size_t i = 0; i < observers.size(); ++i) {
      recorders[i].push_back(observers[i]->recorder(outcome.info));
      Recorder* recorder = recorders[i].back().get();
      const unsigned events = observers[i]->events();
      if (events & shared_accesses) worker.shared_listeners.push_back(recorder);
      if (events & global_accesses) worker.global_listeners.push_back(recorder);
      if (events & syncs) worker.sync_listeners.push_back(recorder);
      if (events & blocks) worker.block_listeners.push_back(recorder);
    }
  }
  pool_->run(jobs, [&](unsigned n) { work(run, workers[n]); });

  outcome.counts.resize(program->operations.size());
  for (const Worker& worker : workers) {
    if (program->runs) add_run_counts(*program->runs, program->operations, worker.run_counts, outcome.counts);
    for (std::size_t i = 0; i < outcome.counts.size(); ++i) {
      outcome.counts[i].executed += worker.counts[i].executed;
      outcome.counts[i].threads += worker.counts[i].threads;
    }
  }
  for (const Count& count : outcome.counts) outcome.warp_instructions += count.executed;
  for (std::size_t i = 0; i < observers.size(); ++i) observers[i]->finish(outcome.info, std::move(recorders[i]));
  if (parameters != 0) memory_.free(parameters);
  memory_.free(workspace);
  outcome.fault = launch.fault;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return outcome;
}

}  // namespace lanebank::machine
