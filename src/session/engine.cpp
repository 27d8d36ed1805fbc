#include "session/engine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "base/words.hpp"
#include "checks/conflicts.hpp"
#include "checks/global_traffic.hpp"
#include "image/fatbin.hpp"
#include "report/channel.hpp"
#include "session/access_log.hpp"
#include "session/assemble.hpp"
#include "session/check_choice.hpp"
#include "session/check_report.hpp"
#include "session/code_choice.hpp"
#include "session/filter.hpp"
#include "session/influence.hpp"
#include "session/launch_report.hpp"
#include "session/progress.hpp"
#include "session/work_report.hpp"

namespace lanebank::session {

using image::FatbinEntry;

namespace {

constexpr int terminal = 2;  // stderr
constexpr LogLimits log_limits;

struct Fatbin {
  FatbinImage image;
  std::optional<Result<Entries>> entries;  ///< once read
  std::optional<Result<machine::Module*>> module;
};

/// The entries of all containers of a registered fatbin.
Result<Entries> read_entries(const FatbinImage& image) {
  Entries all;
  for (const image::Bytes& container : image.containers) {
    Result<Entries> entries = image::read_fatbin(container);
    if (!entries) {
      Diagnostic diagnostic = entries.error();
      diagnostic.where = image.program + (diagnostic.where.empty() ? "" : ", ") + diagnostic.where;
      return tl::unexpected(diagnostic);
    }
    std::move(entries->begin(), entries->end(), std::back_inserter(all));
  }
  return all;
}

/// The text of all PTX of one architecture, the one nearest to `architecture`: it names the shared arrays.
/// Without any that can be read: empty, names are then unknown.
std::string ptx_text(const Entries& entries, unsigned architecture) {
  const FatbinEntry* nearest = choose_ptx(entries, architecture);
  for (const FatbinEntry& entry : entries)
    if (!nearest && entry.kind == FatbinEntry::Kind::ptx) nearest = &entry;
  std::string text;
  for (const FatbinEntry& entry : entries) {
    if (!nearest || entry.kind != FatbinEntry::Kind::ptx || entry.architecture != nearest->architecture) continue;
    if (auto bytes = image::unpack(entry)) text.append(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    text += "\n";
  }
  return text;
}

}  // namespace

struct Engine::State {
  State(EngineOptions given, machine::HostServices services)
      : options(std::move(given)), device({.jobs = jobs()}, std::move(services)) {}

  /// One where launches are repeated and compared.
  unsigned jobs() const {
    const auto chosen = read_checks(options.checks);
    return chosen && chosen->influence ? 1 : options.jobs;
  }

  EngineOptions options;
  machine::Device device;
  std::mutex mutex;  ///< of everything below; launches themselves are serialised by the device
  std::optional<Diagnostic> setup_error;
  std::optional<report::ChannelWriter> channel;
  std::function<void(const report::Record&)> listener;
  std::optional<LaunchFilter> filter;
  checks::MemoryCheckOptions checks;
  std::map<std::size_t, Fatbin> fatbins;
  std::size_t next_fatbin = 1;
  unsigned architecture = 0;
  FunctionTexts texts;
  std::uint64_t launches = 0;
  std::set<std::string> told;  ///< problems, each once
  template <class Part>
  struct Last {
    std::uint64_t launch = 0;  ///< that came with it
    std::shared_ptr<const Part> part;
    /// The launch that has the same part, if there is one; else this one has it from now on.
    std::optional<std::uint64_t> same_as(std::uint64_t id, const std::shared_ptr<const Part>& now) {
      if (part && *part == *now) return launch;
      *this = {id, now};
      return std::nullopt;
    }
  };
  struct LastLaunch {
    Last<findings::Instructions> rows;
    Last<findings::AccessLog> accesses;
  };
  std::map<std::pair<const machine::Module*, std::uint32_t>, LastLaunch> last_launch;  ///< by kernel
  pid_t last_launch_process = 0;  ///< whose launches those are: a forked child has written none
  std::uint64_t logged_entries = 0;

  void tell(report::Record record) const {
    record.process = ::getpid();
    if (listener) listener(record);
  }

  void append(report::Record record) {
    record.process = ::getpid();
    if (!channel) return;
    if (auto result = channel->append(record); !result && !setup_error) setup_error = result.error();
  }

  /// Appends a launch, without the rows and the log that the kernel's last launch had too.
  void append(findings::LaunchReport report, const machine::LaunchRequest& request) {
    if (last_launch_process != ::getpid()) last_launch.clear();
    last_launch_process = ::getpid();
    if (listener) tell({0, report, {}});
    if (!channel) return;
    LastLaunch& last = last_launch[{request.module, request.function}];
    report::Record record;
    record.rows_of = last.rows.same_as(report.id, report.instructions);
    if (report.accesses) {
      record.accesses_of = last.accesses.same_as(report.id, report.accesses);
      if (!record.accesses_of) logged_entries += entry_count(*report.accesses);
    }
    record.content = std::move(report);
    append(std::move(record));
  }

  /// The log of a launch, as far as there is room for it.
  std::shared_ptr<const findings::AccessLog> log_of(const machine::LaunchRequest& request,
                                                    const checks::ConflictReport& conflicts,
                                                    const std::vector<std::uint32_t>& row_of_instruction,
                                                    const findings::BlockRoom& room) const {
    const std::uint64_t left = log_limits.entries_of_process - std::min(log_limits.entries_of_process, logged_entries);
    return std::make_shared<findings::AccessLog>(make_access_log(
        request, conflicts, row_of_instruction, room, std::min<std::uint64_t>(log_limits.entries_of_launch, left)));
  }

  /// Puts a problem, or a warning, into the report, once.
  void cannot_analyse(const Diagnostic& diagnostic) {
    tell({0, diagnostic});
    if (told.insert(diagnostic.id + "\n" + diagnostic.where + "\n" + diagnostic.what).second) append({0, diagnostic});
  }

  const Result<Entries>& entries_of(Fatbin& fatbin) {
    if (!fatbin.entries) fatbin.entries = read_entries(fatbin.image);
    return *fatbin.entries;
  }

  unsigned shown_architecture() {
    if (architecture == 0) architecture = options.architecture;
    if (architecture == 0) {
      std::vector<const Entries*> readable;
      for (auto& [handle, fatbin] : fatbins)
        if (const Result<Entries>& entries = entries_of(fatbin)) readable.push_back(&*entries);
      architecture = choose_architecture(readable);
    }
    return architecture;
  }

  Result<std::vector<std::byte>> code_of(const Fatbin& fatbin, const Entries& entries) {
    const unsigned sm = shown_architecture();
    if (const FatbinEntry* cubin = choose_cubin(entries, sm)) return image::unpack(*cubin);
    const FatbinEntry* ptx = choose_ptx(entries, sm);
    if (!ptx)
      return fail("code.none", fatbin.image.program,
                  "holds " + offer(entries) + ", nothing that sm_" + std::to_string(sm) + " can run",
                  "Add " + nvcc_flag(sm) + " to the nvcc command" +
                      (options.architecture != 0 ? ", or choose another --arch." : "."));
    if (fatbin.image.containers.size() > 2)
      return fail("ptx.several", fatbin.image.program,
                  "holds PTX of several translation units (-rdc=true) and no machine code",
                  "Build it with machine code: add " + nvcc_flag(sm) + " to the nvcc command.");
    auto text = image::unpack(*ptx);
    if (!text) return text;
    std::string target = "sm_" + std::to_string(sm);
    if (ptx->architecture_specific) target += "a";
    return assemble({reinterpret_cast<const char*>(text->data()), text->size()}, target,
                    {options.search_path, options.temporary_folder});
  }

  Result<machine::Module*> load(Fatbin& fatbin) {
    const Result<Entries>& entries = entries_of(fatbin);
    if (!entries) return tl::unexpected(entries.error());
    auto code = code_of(fatbin, *entries);
    if (!code) return tl::unexpected(code.error());
    auto cubin = image::read_cubin(*code, ptx_text(*entries, shown_architecture()));
    if (!cubin) return tl::unexpected(cubin.error());
    for (const Diagnostic& warning : cubin->warnings) cannot_analyse(warning);
    return device.load(std::move(*cubin), [&](std::string_view symbol) { return variable_elsewhere(fatbin, symbol); });
  }

  /// A variable that another loaded module defines (-rdc=true).
  std::optional<std::uint64_t> variable_elsewhere(const Fatbin& asking, std::string_view symbol) {
    for (auto& [handle, fatbin] : fatbins) {
      if (&fatbin == &asking || !fatbin.module || !*fatbin.module) continue;
      const machine::Module& module = ***fatbin.module;
      for (std::size_t i = 0; i < module.cubin.variables.size(); i++)
        if (module.cubin.variables[i].symbol == symbol) return module.variable_addresses.at(i);
    }
    return std::nullopt;
  }

  Result<machine::Module*> module(std::size_t handle) {
    auto found = fatbins.find(handle);
    if (found == fatbins.end()) return fail("fatbin.unknown", "", "no such fatbin is registered");
    Fatbin& fatbin = found->second;
    if (!fatbin.module) {
      fatbin.module = load(fatbin);
      if (!*fatbin.module) cannot_analyse(fatbin.module->error());
    }
    return *fatbin.module;
  }

  /// A launch that stopped early was not analysed whole. Where that is no finding (an assertion, a trap, something
  /// that lanebank does not execute), the run ends with 122.
  void note_fault(const findings::FaultReport& fault, const std::string& kernel) {
    if (findings::rule_of_fault(fault.kind)) return;
    std::string where = fault.file.empty() ? "" : fault.file + ":" + std::to_string(fault.line) + ", ";
    where += fmt::format("{}, address 0x{:x}", kernel_in_short(fault.function.empty() ? kernel : fault.function),
                         fault.address);
    cannot_analyse({"kernel." + fault.kind, where, fault.message,
                    "The launch stopped there; its figures hold what ran before.", Severity::error});
  }
};

Engine::Engine(EngineOptions options, machine::HostServices services)
    : state_(std::make_unique<State>(std::move(options), std::move(services))) {
  State& s = *state_;
  auto filter = LaunchFilter::make(s.options.kernel_name, s.options.kernel_name_base, s.options.launch_skip,
                                   s.options.launch_count);
  if (filter)
    s.filter = std::move(*filter);
  else
    s.setup_error = filter.error();
  if (auto chosen = read_checks(s.options.checks))
    s.checks = std::move(*chosen);
  else
    s.setup_error = chosen.error();
  if (s.options.channel.empty()) return;
  auto channel = report::ChannelWriter::open(s.options.channel);
  if (channel)
    s.channel = std::move(*channel);
  else
    s.setup_error = channel.error();
}

Engine::~Engine() = default;

const std::optional<Diagnostic>& Engine::setup_error() const { return state_->setup_error; }

void Engine::tell_records(std::function<void(const report::Record&)> listener) {
  std::lock_guard lock(state_->mutex);
  state_->listener = std::move(listener);
}

machine::Device& Engine::device() { return state_->device; }

std::size_t Engine::add_fatbin(FatbinImage image) {
  std::lock_guard lock(state_->mutex);
  const std::size_t handle = state_->next_fatbin++;
  state_->fatbins[handle].image = std::move(image);
  return handle;
}

void Engine::remove_fatbin(std::size_t handle) {
  std::lock_guard lock(state_->mutex);
  auto found = state_->fatbins.find(handle);
  if (found == state_->fatbins.end()) return;
  if (found->second.module && *found->second.module) {
    state_->texts.forget(***found->second.module);
    std::erase_if(state_->last_launch, [&](const auto& entry) { return entry.first.first == **found->second.module; });
    state_->device.unload(**found->second.module);
  }
  state_->fatbins.erase(found);
}

unsigned Engine::architecture() {
  std::lock_guard lock(state_->mutex);
  return state_->shown_architecture();
}

Result<machine::Module*> Engine::module(std::size_t fatbin) {
  std::lock_guard lock(state_->mutex);
  return state_->module(fatbin);
}

Result<KernelReference> Engine::kernel(std::size_t fatbin, std::string_view symbol) {
  std::lock_guard lock(state_->mutex);
  auto module = state_->module(fatbin);
  if (!module) return tl::unexpected(module.error());
  const std::vector<image::Function>& functions = (*module)->cubin.functions;
  for (std::uint32_t i = 0; i < functions.size(); i++)
    if (functions[i].symbol == symbol && functions[i].kernel) return KernelReference{*module, i};
  return fail("kernel.missing", std::string(symbol), "the machine code of its fatbin has no such kernel");
}

Result<std::pair<std::uint64_t, std::uint64_t>> Engine::variable(std::size_t fatbin, std::string_view symbol) {
  std::lock_guard lock(state_->mutex);
  auto module = state_->module(fatbin);
  if (!module) return tl::unexpected(module.error());
  const std::vector<image::Variable>& variables = (*module)->cubin.variables;
  for (std::size_t i = 0; i < variables.size(); i++)
    if (variables[i].symbol == symbol) return std::pair{(*module)->variable_addresses.at(i), variables[i].size_bytes};
  return fail("variable.missing", std::string(symbol), "the machine code of its fatbin has no such variable");
}

Result<machine::LaunchOutcome> Engine::launch(machine::LaunchRequest request, const findings::BlockRoom& room) {
  State& s = *state_;
  request.sample_blocks = s.options.sample_blocks;
  const image::Function& function = request.module->cubin.functions.at(request.function);
  KernelName name;
  std::uint64_t id = 0;
  bool counted = false;
  std::vector<checks::InstructionArray> arrays;
  {
    std::lock_guard lock(s.mutex);
    name = s.texts.of(*request.module, request.function).name;
    id = s.launches++;
    counted = s.filter && s.filter->takes(name, function.symbol);
    if (counted && s.checks.bounds) arrays = arrays_meant(s.texts.of(*request.module, request.function), request);
  }
  checks::ConflictObserver conflicts(arrays_of(function, request.dynamic_shared_bytes),
                                     s.options.access_log ? limits_for_log(log_limits) : checks::ConflictLimits{});
  checks::MemoryCheckOptions chosen = s.checks;
  if (counted && chosen.bounds) chosen.arrays = arrays;
  if (counted && chosen.race) chosen.strong = strong_accesses(request);
  if (counted && (chosen.uninitialised || chosen.unused)) chosen.padding = padding(function);
  checks::MemoryChecker memory(std::move(chosen));
  std::vector<machine::Observer*> observers;
  if (counted) observers.push_back(&conflicts);
  if (counted && s.checks.any()) observers.push_back(&memory);
  checks::GlobalTrafficObserver traffic;
  if (counted && s.options.work) observers.push_back(&traffic);
  std::optional<ProgressLine> line;
  machine::Progress progress;
  if (s.options.progress) {
    line.emplace(terminal, name.base);
    progress = [&line](std::uint64_t done, std::uint64_t all) { line->show(done, all); };
  }
  std::optional<MemoryImage> before;
  if (counted && s.checks.influence) before.emplace(s.device.memory());
  auto outcome = s.device.launch(request, observers, progress);
  line.reset();
  std::optional<bool> influence;
  const auto is_uninitialised = [](const checks::Hazard& hazard) {
    return hazard.kind == checks::HazardKind::uninitialised;
  };
  if (before && outcome && std::any_of(memory.hazards().begin(), memory.hazards().end(), is_uninitialised))
    influence = initial_bytes_matter(s.device, request, *outcome, *before);

  std::lock_guard lock(s.mutex);
  if (!outcome) {
    s.cannot_analyse(outcome.error());
    return outcome;
  }
  if (counted) {
    auto [report, row_of_instruction] =
        make_launch_report(request, *outcome, conflicts.report(), s.texts, s.options.all_instructions);
    report.id = id;
    if (s.options.work) report.work = make_work(request, *outcome, traffic.traffic(), s.device.memory());
    if (s.options.access_log) report.accesses = s.log_of(request, conflicts.report(), row_of_instruction, room);
    report.checks = check_reports(memory.hazards(), influence, request, outcome->info, s.texts);
    if (s.checks.swizzles)
      // Dynamic memory (of no size here) holds several tiles as a rule.
      for (auto& note : swizzle_reports(swizzle_mismatches(conflicts.report(), arrays_of(function, 0)), request,
                                        outcome->info, s.texts))
        report.checks.push_back(std::move(note));
    if (s.checks.unused && !outcome->fault && report.sampled_blocks == 0)
      for (auto& note : unused_reports(memory.untouched(), request, outcome->info, s.texts))
        report.checks.push_back(std::move(note));
    if (auto size = shared_size_report(request, *outcome, s.texts))
      report.checks.insert(report.checks.begin(), std::move(*size));
    if (report.fault) s.note_fault(*report.fault, name.full);
    s.append(std::move(report), request);
  } else {
    if (outcome->fault) s.note_fault(make_fault_report(request, outcome->info, *outcome->fault), name.full);
    s.tell({0, report::FilteredLaunch{}, {}});
    s.append({0, report::FilteredLaunch{}, {}});
  }
  return outcome;
}

void Engine::unsupported_call(std::string_view name) {
  cannot_analyse({"call.unsupported", std::string(name),
                  "the program calls this function, which lanebank does not implement", "It got cudaErrorNotSupported.",
                  Severity::error});
}

void Engine::cannot_analyse(const Diagnostic& diagnostic) {
  std::lock_guard lock(state_->mutex);
  state_->cannot_analyse(diagnostic);
}

}  // namespace lanebank::session
