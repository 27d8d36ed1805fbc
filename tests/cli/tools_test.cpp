// Parts of the command that need no process.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "lanebank/child.hpp"
#include "lanebank/output.hpp"
#include "lanebank/program_file.hpp"
#include "lanebank/terminal.hpp"

namespace lanebank::tools {
namespace {

namespace fs = std::filesystem;

TEST(Environment, ChangedVariablesReplaceAndOthersStay) {
  std::string a = "A=1", b = "LD_PRELOAD=x", c = "AB=2";
  char* base[] = {a.data(), b.data(), c.data(), nullptr};
  EXPECT_EQ(changed_environment(base, {"LD_PRELOAD=y:x", "NEW=3"}),
            (std::vector<std::string>{"A=1", "AB=2", "LD_PRELOAD=y:x", "NEW=3"}));
  EXPECT_EQ(changed_environment(nullptr, {"A=1"}), (std::vector<std::string>{"A=1"}));
}

TEST(ProgramFile, KnowsWhatTheProgramNeeds) {
  const auto program = find_program("/proc/self/exe", "");
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->is_elf);
  EXPECT_FALSE(program->is_static);
  EXPECT_TRUE(program->needs("libc.so.6"));
  EXPECT_FALSE(program->needs("libcuda.so.1"));
}

TEST(ProgramFile, IsFoundAlongThePath) {
  const auto program = find_program("sh", "/nonexistent:/bin:/usr/bin");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->path.substr(program->path.size() - 3), "/sh");
  EXPECT_FALSE(find_program("sh", ""));
  EXPECT_FALSE(find_program("", "/bin"));
}

TEST(ProgramFile, DamagedHeadersNeverCrash) {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string head(4096, '\0');
  self.read(head.data(), static_cast<std::streamsize>(head.size()));
  const std::string path = testing::TempDir() + "damaged-" + std::to_string(::getpid());
  std::mt19937 random(5);
  for (int i = 0; i < 200; i++) {
    std::string bytes = head;
    for (unsigned k = 0; k < 1 + random() % 8; k++) bytes[4 + random() % 1200] = static_cast<char>(random());
    if (i % 5 == 0) bytes.resize(random() % bytes.size());
    std::ofstream(path, std::ios::binary) << bytes;
    fs::permissions(path, fs::perms::owner_all);
    (void)find_program(path, "");
  }
  fs::remove(path);
}

TEST(Terminal, AFileHasNoColours) {
  const Terminal terminal = terminal_of(-1, [](const char*) -> const char* { return nullptr; });
  EXPECT_FALSE(terminal.is_terminal);
  EXPECT_FALSE(terminal.color);
  EXPECT_EQ(terminal.width, 120u);
}

TEST(ChannelFiles, GoAwayWithTheirOwner) {
  std::string path;
  {
    auto file = ChannelFile::make(testing::TempDir());
    ASSERT_TRUE(file);
    path = file->path();
    EXPECT_TRUE(fs::exists(path));
    ChannelFile moved = std::move(*file);
    EXPECT_TRUE(fs::exists(moved.path()));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_FALSE(ChannelFile::make("/nonexistent"));
}

}  // namespace
}  // namespace lanebank::tools
