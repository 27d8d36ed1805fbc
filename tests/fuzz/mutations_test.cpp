// The fuzz targets that read text, without a fuzzer and without sanitizers: every seed, and mutations of seeds from a fixed random
// seed. A target must return; where it crashes the message names the target, the seed and the mutation.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#define LANEBANK_FUZZ_TARGET(name) extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "lanebank_fuzz_targets.def"
#undef LANEBANK_FUZZ_TARGET

namespace {

namespace fs = std::filesystem;
using Target = int (*)(const std::uint8_t*, std::size_t);

constexpr unsigned random_seed = 1729;
constexpr unsigned mutations = 5'000;
constexpr std::size_t longest = 16'384;

/// What runs now, for the handler of signals, and where the input is left.
std::string now_running, left_at;
const std::string* current_input = nullptr;

extern "C" void on_crash(int number) {
  if (std::ofstream out(left_at, std::ios::binary); current_input)
    out.write(current_input->data(), std::ssize(*current_input));
  std::fprintf(stderr, "%s: signal %d; the input is in %s\n", now_running.c_str(), number,
               fs::path(left_at).filename().c_str());
  signal(number, SIG_DFL);
  raise(number);
}

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Files of `folder` with their names, sorted.
std::vector<std::pair<std::string, std::string>> seeds_of(const fs::path& folder) {
  std::vector<std::pair<std::string, std::string>> seeds;
  for (const auto& entry : fs::directory_iterator(folder))
    seeds.emplace_back(entry.path().filename().string(), contents(entry));
  std::sort(seeds.begin(), seeds.end());
  return seeds;
}

/// Words that stand between quotes in a libFuzzer dictionary; words that many formats stumble over.
std::vector<std::string> words_of(const fs::path& dictionary) {
  std::vector<std::string> words = {
      "0",    "-1",   "4294967296", "18446744073709551616", "1e999", "\"", "{", "}", "[", "]", ",", "\n",
      "null", "true", "\\u0000",    std::string(1, '\0'),   "\xff"};
  std::ifstream in(dictionary);
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find('"'), last = line.rfind('"');
    if (first != last && line[0] != '#') words.push_back(line.substr(first + 1, last - first - 1));
  }
  return words;
}

/// One to four changes: a byte, a range left out, repeated or taken from another seed, a word of the dictionary, a number.
std::string mutated(std::string text, const std::string& other, const std::vector<std::string>& words,
                    std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
    const std::size_t at = below(text.size() + 1),
                      length = below(std::min<std::size_t>(text.size() - at, 1 + random() % 64) + 1);
    switch (random() % 6) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3: {
        const std::size_t from = below(other.size() + 1);
        text.replace(at, length, other.substr(from, random() % 256));
        break;
      }
      case 4:
        text.insert(at, words[random() % words.size()]);
        break;
      case 5: {
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit == std::string::npos) break;
        const std::size_t end = std::min(text.find_first_not_of("0123456789", digit), text.size());
        text.replace(digit, end - digit, std::to_string(random() >> random() % 32));
        break;
      }
    }
  }
  text.resize(std::min(text.size(), longest));
  return text;
}

void run(const std::string& name, Target target) {
  const fs::path here = fs::path(LANEBANK_TEST_DATA).parent_path();
  const auto seeds = seeds_of(here / "seeds" / name);
  ASSERT_FALSE(seeds.empty());
  const auto words = words_of(here / (name + ".dict"));
  left_at = (fs::temp_directory_path() / ("lanebank_crash_" + name + "_" + std::to_string(getpid()))).string();
  std::string input;
  current_input = &input;
  for (const int number : {SIGSEGV, SIGABRT, SIGILL, SIGFPE, SIGBUS, SIGTRAP}) signal(number, on_crash);
  const auto give = [&](const std::string& what) {
    now_running = name + ", " + what;
    EXPECT_EQ(target(reinterpret_cast<const std::uint8_t*>(input.data()), input.size()), 0) << now_running;
  };
  for (const auto& [file, text] : seeds) {
    input = text;
    give("seed " + file);
  }
  std::mt19937 random(random_seed);
  for (unsigned n = 0; n < mutations; ++n) {
    const auto& [file, text] = seeds[random() % seeds.size()];
    input = mutated(text, seeds[random() % seeds.size()].second, words, random);
    give("seed " + file + ", random seed " + std::to_string(random_seed) + ", mutation " + std::to_string(n));
  }
  current_input = nullptr;
}

#define LANEBANK_FUZZ_TARGET(name) \
  TEST(Mutations, name) { run(#name, fuzz_##name); }
#include "lanebank_fuzz_targets.def"

}  // namespace
