// Runs the probe's cases on a device, through the driver, and records what they leave behind.
//
//   record_instructions CASES CUBIN PREDICTED RECORDED DIFFERENT [PROCESSES [SECONDS]]
//
//   SECONDS    after which no further case is begun; those left are comments
//   PREDICTED  what predict_instructions printed
//   RECORDED   the cases with `= HASH`; those that the device refuses or does not finish, as comments
//   DIFFERENT  u32 case, u32 round, then record and scratch words, each xor what they were before, of the first two
//              rounds of a case that differ from PREDICTED (of the first eight where the machine faults)
//
// A fault ends a context, often a process's whole use of the device, so the cases are run by child processes, each
// replaced when it ends early.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

#include "hardware/instruction_probe.hpp"

namespace {

using namespace lanebank::probe;
using Pointer = unsigned long long;

/// The driver's entry points, as cuda.h declares them.
struct Driver {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  template <class Function>
  Function get(const char* name) {
    void* symbol = library ? dlsym(library, name) : nullptr;
    if (!symbol) std::fprintf(stderr, "libcuda.so.1 has no %s\n", name), _exit(1);
    return reinterpret_cast<Function>(symbol);
  }
  int (*init)(unsigned) = get<int (*)(unsigned)>("cuInit");
  int (*create)(void**, unsigned, int) = get<int (*)(void**, unsigned, int)>("cuCtxCreate_v2");
  int (*destroy)(void*) = get<int (*)(void*)>("cuCtxDestroy_v2");
  int (*load)(void**, const void*) = get<int (*)(void**, const void*)>("cuModuleLoadData");
  int (*unload)(void*) = get<int (*)(void*)>("cuModuleUnload");
  int (*function)(void**, void*, const char*) = get<int (*)(void**, void*, const char*)>("cuModuleGetFunction");
  int (*allocate)(Pointer*, std::size_t) = get<int (*)(Pointer*, std::size_t)>("cuMemAlloc_v2");
  int (*to)(Pointer, const void*, std::size_t) = get<int (*)(Pointer, const void*, std::size_t)>("cuMemcpyHtoD_v2");
  int (*from)(void*, Pointer, std::size_t) = get<int (*)(void*, Pointer, std::size_t)>("cuMemcpyDtoH_v2");
  int (*zero)(Pointer, unsigned, std::size_t) = get<int (*)(Pointer, unsigned, std::size_t)>("cuMemsetD32_v2");
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**) =
      get<int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**)>(
          "cuLaunchKernel");
  int (*query)(void*) = get<int (*)(void*)>("cuStreamQuery");
};

void must(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "%s: error %d\n", what, status);
  std::fflush(stderr);
  _exit(3);
}

/// What a child tells of a case: then `words` follow when the hashes differ.
struct Answer {
  u32 index, status;  ///< 0 ran, else the driver's error; 1000 did not finish
  u64 hashes[rounds];
  u32 kept;  ///< how many rounds follow, each: u32 round, record, scratch
};
constexpr std::size_t record_count = std::size_t{rounds} * 32 * record_words;
constexpr std::size_t scratch_count = std::size_t{rounds} * scratch_bytes / 4;

void write_all(int file, const void* data, std::size_t bytes) {
  const char* p = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = write(file, p, bytes);
    if (n <= 0) _exit(4);
    p += n, bytes -= static_cast<std::size_t>(n);
  }
}
bool read_all(int file, void* data, std::size_t bytes) {
  char* p = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t n = read(file, p, bytes);
    if (n <= 0) return false;
    p += n, bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

/// Cases [first, end), one after the other.
struct Work {
  u32 first, end;
};

class Child {
 public:
  Child(const std::vector<Case>& cases, const std::vector<std::byte>& cubin,
        const std::vector<std::vector<u64>>& predicted)
      : cases_(cases), cubin_(cubin), predicted_(predicted) {}

  void run(int in, int out) {
    must(cuda_.init(0), "cuInit");
    open();
    for (Work work; read_all(in, &work, sizeof work);)
      for (u32 n = work.first; n < work.end;) n = run_group(n, std::min(work.end, n + kernels_per_cubin), out);
    _exit(0);
  }

 private:
  void open() {
    must(cuda_.create(&context_, 0, 0), "context");
    must(cuda_.allocate(&in_, record_count * 4), "memory");
    must(cuda_.allocate(&result_, record_count * 4), "memory");
    must(cuda_.allocate(&scratch_, scratch_count * 4), "memory");
  }

  /// Runs cases from one cubin up to a fault; gives the next case.
  u32 run_group(u32 first, u32 end, int out) {
    std::vector<std::byte> bytes = cubin_;
    if (!fill_cubin(bytes, &cases_[first], end - first)) must(1, "no room for the code");
    void* module = nullptr;
    must(cuda_.load(&module, bytes.data()), "module");
    for (u32 n = first; n < end; ++n) {
      const Buffers buffers = inputs(cases_[n]);
      const u32 status = launch(module, n - first, buffers);
      Answer answer{};
      answer.index = n;
      answer.status = status;
      if (status != 0) {
        write_all(out, &answer, sizeof answer);
        if (status == 1000) _exit(0);
        must(cuda_.destroy(context_), "destroy");
        open();
        return n + 1;
      }
      tell(n, buffers, answer, out);
    }
    must(cuda_.unload(module), "unload");
    return end;
  }

  u32 launch(void* module, u32 kernel, const Buffers& buffers) {
    must(cuda_.to(in_, buffers.records.data(), record_count * 4), "copy");
    must(cuda_.to(scratch_, buffers.scratch.data(), scratch_count * 4), "copy");
    must(cuda_.zero(result_, 0, record_count), "zero");
    void* function = nullptr;
    must(cuda_.function(&function, module, ("probe" + std::to_string(kernel)).c_str()), "function");
    void* arguments[] = {&in_, &result_, &scratch_, constant_.data()};
    int status = cuda_.launch(function, rounds, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
    const auto begin = std::chrono::steady_clock::now();
    while (status == 0) {
      const int state = cuda_.query(nullptr);
      if (state == 0) break;
      if (state != 600) status = state;  // 600: not ready
      if (std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(500)) status = 1000;
    }
    if (status == 0) status = cuda_.from(records_.data(), result_, record_count * 4);
    if (status == 0) status = cuda_.from(memory_.data(), scratch_, scratch_count * 4);
    return static_cast<u32>(status);
  }

  void tell(u32 n, const Buffers& buffers, Answer& answer, int out) {
    const std::vector<u64> hashes = round_hashes(records_.data(), memory_.data());
    std::copy(hashes.begin(), hashes.end(), answer.hashes);
    std::vector<u32> differ;
    const std::vector<u64>& predicted = predicted_[n];
    for (u32 round = 0; round < rounds && differ.size() < (predicted.empty() ? 8 : 2); ++round)
      if (predicted.empty() || predicted[round] != hashes[round]) differ.push_back(round);
    answer.kept = static_cast<u32>(differ.size());
    write_all(out, &answer, sizeof answer);
    for (std::size_t i = 0; i < record_count; ++i) records_[i] ^= buffers.records[i];
    for (std::size_t i = 0; i < scratch_count; ++i) memory_[i] ^= buffers.scratch[i];
    for (const u32 round : differ) {
      write_all(out, &round, 4);
      write_all(out, &records_[round * 32 * record_words], 32 * record_words * 4);
      write_all(out, &memory_[round * scratch_bytes / 4], scratch_bytes);
    }
  }

  const std::vector<Case>& cases_;
  const std::vector<std::byte>& cubin_;
  const std::vector<std::vector<u64>>& predicted_;
  Driver cuda_;
  void* context_ = nullptr;
  Pointer in_ = 0, result_ = 0, scratch_ = 0;
  std::vector<u32> constant_ = constants(), records_ = std::vector<u32>(record_count),
                   memory_ = std::vector<u32>(scratch_count);
};

/// What the parent's threads share.
struct Shared {
  const std::vector<Case>& cases;
  const std::vector<std::byte>& cubin;
  const std::vector<std::vector<u64>>& predicted;
  std::chrono::steady_clock::time_point deadline;
  std::atomic<u32> next{0};
  std::atomic<u32> children{0};
  std::vector<Answer> answers;
  std::mutex fork_mutex;
};

/// Takes pieces of the list and has them run, by children one after the other.
void worker(Shared& shared, std::vector<u32>& different) {
  constexpr u32 piece = 64;
  const auto late = [&] { return std::chrono::steady_clock::now() > shared.deadline; };
  u32 failures = 0;
  Work work{0, 0};
  while (failures < 5 && !late()) {
    int to[2], from[2];
    pid_t pid;
    {
      // No child may hold the ends of another's pipes.
      const std::lock_guard lock(shared.fork_mutex);
      if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) return;
      pid = fork();
      if (pid == 0) {
        for (int file = 3; file < 1024; ++file)
          if (file != to[0] && file != from[1]) close(file);
        Child(shared.cases, shared.cubin, shared.predicted).run(to[0], from[1]);
      }
      close(to[0]);
      close(from[1]);
    }
    ++shared.children;
    u32 answered = 0;
    bool alive = true;
    while (alive && !late()) {
      if (work.first == work.end) {
        work.first = shared.next.fetch_add(piece);
        work.end = std::min<u32>(work.first + piece, static_cast<u32>(shared.cases.size()));
        if (work.first >= work.end) {
          failures = 100;
          break;
        }
      }
      write_all(to[1], &work, sizeof work);
      while (alive && work.first < work.end) {
        pollfd wait{from[0], POLLIN, 0};
        Answer answer;
        alive = poll(&wait, 1, 20000) > 0 && read_all(from[0], &answer, sizeof answer);
        if (!alive) break;
        for (u32 n = 0; n < answer.kept && alive; ++n) {
          const std::size_t words = 1 + 32 * record_words + scratch_bytes / 4, at = different.size();
          different.resize(at + 1 + words);
          different[at] = answer.index;
          alive = read_all(from[0], &different[at + 1], words * 4);
        }
        shared.answers[answer.index] = answer;
        work.first = answer.index + 1;
        ++answered;
        if (answer.status == 1000) alive = false;
        if (late()) alive = false;
      }
    }
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    close(to[1]);
    close(from[0]);
    if (failures < 100) failures = answered == 0 ? failures + 1 : 0;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr, "usage: record_instructions CASES CUBIN PREDICTED RECORDED DIFFERENT [PROCESSES]\n");
    return 125;
  }
  const std::vector<Case> cases = read_cases(argv[1]);
  std::ifstream file(argv[2], std::ios::binary);
  const std::vector<char> text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::byte> cubin(text.size());
  std::memcpy(cubin.data(), text.data(), text.size());
  std::vector<std::vector<u64>> predicted(cases.size());
  std::ifstream predictions(argv[3]);
  for (std::string line; std::getline(predictions, line);) {
    std::istringstream fields(line);
    std::size_t index;
    fields >> index;
    for (std::string word; fields >> word && word != "fault";)
      predicted.at(index).push_back(std::stoull(word, nullptr, 16));
  }
  const unsigned processes = argc > 6 ? static_cast<unsigned>(std::atoi(argv[6])) : 4;
  const unsigned seconds = argc > 7 ? static_cast<unsigned>(std::atoi(argv[7])) : 600;
  signal(SIGPIPE, SIG_IGN);
  Answer unknown{};
  unknown.status = 2000;
  const auto begin = std::chrono::steady_clock::now();
  Shared shared{cases,
                cubin,
                predicted,
                begin + std::chrono::seconds(seconds),
                {},
                {},
                std::vector<Answer>(cases.size(), unknown),
                {}};
  std::vector<std::vector<u32>> different(processes);
  std::vector<std::thread> threads;
  for (unsigned p = 0; p < processes; ++p) threads.emplace_back([&, p] { worker(shared, different[p]); });
  for (std::thread& t : threads) t.join();
  const std::vector<Answer>& answers = shared.answers;
  std::printf("%u processes, %.1f s\n", shared.children.load(),
              std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  std::FILE* recorded = std::fopen(argv[4], "w");
  std::map<std::string, unsigned> outcomes;
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const Answer& a = answers[n];
    if (a.status != 0) std::fprintf(recorded, "# error %u: ", a.status);
    std::fprintf(recorded, "%s %s", cases[n].row.c_str(), cases[n].address.c_str());
    for (const Word& w : cases[n].words)
      std::fprintf(recorded, " %llx %llx", static_cast<Pointer>(w.low), static_cast<Pointer>(w.high));
    if (a.status == 0)
      std::fprintf(recorded, " = %llx",
                   static_cast<Pointer>(total_hash(std::vector<u64>(a.hashes, a.hashes + rounds))));
    std::fprintf(recorded, "\n");
    ++outcomes[a.status != 0 ? "error " + std::to_string(a.status) : a.kept ? "different" : "the same"];
  }
  std::fclose(recorded);
  std::FILE* kept = std::fopen(argv[5], "wb");
  for (const auto& words : different) std::fwrite(words.data(), 4, words.size(), kept);
  std::fclose(kept);
  for (const auto& [what, number] : outcomes) std::printf("%s: %u\n", what.c_str(), number);
}
