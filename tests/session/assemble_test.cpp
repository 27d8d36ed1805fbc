#include "session/assemble.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace lanebank::session {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder with a ptxas that is a shell script.
class Assemble : public testing::Test {
 protected:
  Assemble() { fs::create_directories(folder_ + "/tmp"); }
  ~Assemble() override { fs::remove_all(folder_); }
  Assembler with(const std::string& script) {
    const std::string path = folder_ + "/ptxas";
    std::ofstream(path) << "#!/bin/sh\n" << script;
    ::chmod(path.c_str(), 0755);
    return {"/nonexistent:" + folder_ + ":/usr/bin:/bin", folder_ + "/tmp"};
  }
  bool leaves_nothing() const { return fs::is_empty(folder_ + "/tmp"); }
  std::string folder_ = testing::TempDir() + "assemble-" + std::to_string(::getpid());
};

TEST_F(Assemble, GivesWhatPtxasWrote) {
  const auto code = assemble(".version 8.0\n", "sm_90", with("cat \"$2\" > \"$4\"; echo \"$1\" >> \"$4\"\n"));
  ASSERT_TRUE(code) << to_string(code.error());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(code->data()), code->size()), ".version 8.0\n-arch=sm_90\n");
  EXPECT_TRUE(leaves_nothing());
}

TEST_F(Assemble, KeepsLines) {
  const auto code = assemble("\t.loc\t1 2 3\n", "sm_90", with("echo \"$1\" > \"$5\"\n"));
  ASSERT_TRUE(code) << to_string(code.error());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(code->data()), code->size()), "-lineinfo\n");
}

TEST_F(Assemble, NothingIsPreloadedIntoPtxas) {
  ::setenv("LANEBANK_CHANNEL", "x", 1);
  const auto code = assemble("", "sm_90", with("env > \"$4\"\n"));
  ::unsetenv("LANEBANK_CHANNEL");
  ASSERT_TRUE(code);
  EXPECT_THAT(std::string(reinterpret_cast<const char*>(code->data()), code->size()),
              testing::Not(HasSubstr("LANEBANK")));
}

TEST_F(Assemble, PassesOnWhatPtxasComplainsOf) {
  const auto code = assemble("junk", "sm_90", with("echo info; echo 'ptxas fatal : no .version' >&2; exit 255\n"));
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().id, "ptx.assembly");
  EXPECT_THAT(code.error().what, HasSubstr("ptxas fatal : no .version"));
  EXPECT_THAT(code.error().remedy, HasSubstr("nvcc -arch=sm_90"));
  EXPECT_TRUE(leaves_nothing());
}

TEST_F(Assemble, WithoutPtxasNamesTheFlagOfNvcc) {
  const auto code = assemble("", "sm_90", {"/nonexistent", folder_});
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().id, "ptx.no_assembler");
  EXPECT_THAT(code.error().remedy, HasSubstr("nvcc -arch=sm_90"));
}

TEST_F(Assemble, WithoutAFolderForFilesSaysSo) {
  Assembler assembler = with("exit 0\n");
  assembler.temporary_folder = "/nonexistent";
  const auto code = assemble("", "sm_90", assembler);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().id, "ptx.folder");
}

}  // namespace
}  // namespace lanebank::session
