// `lanebank kernel` on tests/session/data/launch.cu, in this process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lanebank/commands.hpp"
#include "lanebank/kernel_arguments.hpp"

namespace lanebank::tools {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

show::Scope scope(const std::vector<std::string>& definitions = {}) { return *show::Scope::make({}, definitions); }

std::string shown(const std::string& text, const std::vector<std::string>& definitions = {}) {
  const auto given = read_argument(text, scope(definitions));
  if (!given) return to_string(given.error());
  return elements_text(*given->type, given->argument.bytes, 8);
}

TEST(KernelArguments, HaveContentsOfEveryKind) {
  for (const auto& [text, elements] :
       std::initializer_list<std::pair<const char*, const char*>>{{"i32=1024", "1024"},
                                                                  {"u8=0x80 | 1", "129"},
                                                                  {"i8=-128", "-128"},
                                                                  {"u32=-1", "4294967295"},
                                                                  {"u64=18446744073709551615", "18446744073709551615"},
                                                                  {"f32=1.5", "1.5"},
                                                                  {"float=-inf", "-inf"},
                                                                  {"f16=0.1", "0.099975586"},
                                                                  {"bf16=1e30", "1.00025555e+30"},
                                                                  {"double{2}=1,2", "1 2"},
                                                                  {"i32[4]", "0 0 0 0"},
                                                                  {"i16[5]=iota", "0 1 2 3 4"},
                                                                  {"i8[4]=iota:126", "126 127 -128 -127"},
                                                                  {"f32[4]=iota:1:0.25", "1 1.25 1.5 1.75"},
                                                                  {"f32[3 * 3]=7", "7 7 7 7 7 7 7 7 ... (9 in all)"},
                                                                  {"float4[1]=1,2,3,4", "1 2 3 4"},
                                                                  {"i32[0]=iota", ""},
                                                                  {"unsigned int[2]=5, 6", "5 6"}})
    EXPECT_EQ(shown(text), elements) << text;
  EXPECT_EQ(shown("i32[N/2]=N", {"N=6"}), "6 6 6");
  EXPECT_EQ(shown("i32[4]=random:7"), shown("i32[4]=random:7"));
  EXPECT_NE(shown("i32[4]=random:7"), shown("i32[4]=random:8"));
  const auto bits = read_argument("u8[64]=random:3:0:1", scope());
  ASSERT_TRUE(bits);
  const auto count = std::count(bits->argument.bytes.begin(), bits->argument.bytes.end(), std::byte{1});
  EXPECT_TRUE(count > 16 && count < 48) << count << " ones, the others 0";
  EXPECT_EQ(read_argument("@2 + 8", scope())->argument.offset_bytes, 8u);
  EXPECT_EQ(read_argument("null", scope())->argument.bytes, std::vector<std::byte>(8));
}

TEST(KernelArguments, WrongOnesAreRefusedWithTheirText) {
  for (const auto& [text, what] :
       std::initializer_list<std::pair<const char*, const char*>>{{"", "is no type"},
                                                                  {"f33=1", "'f33' is no type"},
                                                                  {"i32", "has no value"},
                                                                  {"i8=128", "128 does not fit into i8"},
                                                                  {"u8=256", "does not fit"},
                                                                  {"i32=1.5", "--arg 'i32=1.5'"},
                                                                  {"i32[2]=1,2,3", "3 numbers for 2 elements"},
                                                                  {"i32[]=iota", "only a file tells the size"},
                                                                  {"i32[1", "does not end"},
                                                                  {"i32[-1]", "are not from 0"},
                                                                  {"i32[1<<40]", "are not from 0"},
                                                                  {"i32[N]", "N"},
                                                                  {"i32[1/0]", "--arg"},
                                                                  {"i32[2]=random:1:5:4", "LOW <= HIGH"},
                                                                  {"i32[2]=iota:0.5", "no whole number"},
                                                                  {"f32[2]=file:/nonexistent", "/nonexistent"},
                                                                  {"@x", "expected @ARGUMENT"},
                                                                  {"@-1", "expected @ARGUMENT"}})
    EXPECT_THAT(shown(text), HasSubstr(what)) << text;
}

class KernelCommand : public testing::Test {
 protected:
  KernelCommand() { fs::create_directories(folder_); }
  ~KernelCommand() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string content(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    fs::permissions(path(name), fs::perms::owner_all);
  }

  /// The command's exit code; `out_` and `err_` have its streams.
  int kernel(std::vector<std::string> words) {
    words.insert(words.begin(), {"lanebank", "kernel"});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = run_command_line(static_cast<int>(argv.size()), argv.data());
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return code;
  }
  std::vector<std::string> transposed(const std::string& name, const std::vector<std::string>& more = {},
                                      const std::string& size = "64") const {
    std::vector<std::string> words = {code_,           "-k",        name,       "-D",    "N=" + size,
                                      "--grid",        "N/32,N/32", "--block",  "32x32", "--arg",
                                      "f32[N*N]=iota", "--arg",     "f32[N*N]", "--arg", "i32=N"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  const std::string folder_ = testing::TempDir() + "kernel-" + std::to_string(::getpid());
  const std::string code_ = LANEBANK_LAUNCH_CODE;
  std::string out_, err_;
};

TEST_F(KernelCommand, GivesResultsReportAndExitCode) {
  EXPECT_EQ(kernel(transposed("transpose<0>", {"--print", "1:3", "--save", "1=" + path("out.bin")})), 120);
  EXPECT_EQ(out_, "argument 1, f32[N*N]: 0 64 128 ... (4,096 in all)\n");
  EXPECT_THAT(err_, HasSubstr("3,968 excess"));
  EXPECT_THAT(err_, HasSubstr("launch.cu:10"));
  float second = 0;
  ASSERT_EQ(content("out.bin").size(), 4096 * sizeof(float));
  std::memcpy(&second, content("out.bin").data() + sizeof second, sizeof second);
  EXPECT_EQ(second, 64.0f);
  EXPECT_EQ(kernel(transposed("transpose<1>", {"--json", path("r.json")})), 0);
  EXPECT_THAT(content("r.json"), HasSubstr("\"symbol\": \"_Z9transposeILi1EEvPKfPfi\""));
  EXPECT_EQ(kernel(transposed("transpose<0>", {"--max-excess", "3968"})), 0);
  EXPECT_EQ(kernel(transposed("transpose<0>", {"--arg", "@9"})), 125);
  EXPECT_THAT(err_, HasSubstr("takes 3 arguments, not 4"));
}

TEST_F(KernelCommand, BaselinesLetKnownFindingsThroughUntilTheyGrow) {
  const std::string base = path("base.json");
  EXPECT_EQ(kernel(transposed("transpose<0>", {"--write-baseline", base})), 120);
  EXPECT_THAT(content("base.json"), HasSubstr("\"array\":\"tile\""));
  EXPECT_EQ(kernel(transposed("transpose<0>", {"--baseline", base})), 0);
  EXPECT_EQ(kernel(transposed("transpose<0>", {"--baseline", base}, "128")), 120) << "it grew";
  EXPECT_EQ(kernel(transposed("transpose<1>", {"--baseline", base})), 0);
  EXPECT_THAT(err_, HasSubstr("1 finding of the baseline did not come any more"));
  EXPECT_EQ(kernel({code_, "-k", "without", "-b", "64", "-a", "i32[64]", "--baseline", base}), 120)
      << "another finding";
  write("damaged.json", "{\"schema\":\"lanebank.baseline/1\",\"findings\":[{\"excess\":1}]}");
  EXPECT_EQ(kernel(transposed("transpose<0>", {"--baseline", path("damaged.json")})), 125);
  EXPECT_THAT(err_, HasSubstr("damaged.json, findings[0]"));
}

TEST_F(KernelCommand, FilesAndOptionsThatAreWrongEndWithTheRightCode) {
  EXPECT_EQ(kernel({path("none.cubin")}), 125);
  write("text.cubin", "no code");
  EXPECT_EQ(kernel({path("text.cubin")}), 125);
  EXPECT_THAT(err_, HasSubstr("neither a cubin nor a fatbin nor PTX"));
  EXPECT_EQ(kernel({code_, "--arch", "sm_80", "-k", "traps", "-a", "i32[1]"}), 122) << "no code for it";
  EXPECT_EQ(kernel({code_, "-k", "traps", "-a", "i32[1]", "--print", "0"}), 122) << "a trap";
  EXPECT_EQ(out_, "argument 0, i32[1]: 0\n");
  EXPECT_EQ(kernel({code_}), 125);
  EXPECT_THAT(err_, HasSubstr("there are several kernels"));
  EXPECT_EQ(kernel({code_, "--list"}), 0);
  EXPECT_THAT(out_,
              HasSubstr("traps(int *)\n    _Z5trapsPi\n    parameters of 8 bytes, 0 bytes of static shared memory"));
  EXPECT_EQ(kernel({code_, "-k", "traps", "-a", "i32[1]", "--print", "1"}), 125);
  EXPECT_EQ(kernel({code_, "-k", "traps", "-a", "i32[1]", "--save", "0=/nonexistent/f"}), 125);
  EXPECT_EQ(kernel({code_, "-k", "traps", "-a", "i32[1]", "--grid", "1,1,1,1"}), 125);
}

TEST_F(KernelCommand, SourcesAreCompiledByTheUsersCompiler) {
  write("t.cu", "// a kernel");
  write("nvcc", "#!/bin/sh\necho \"$*\" >> '" + path("calls") +
                    "'\nfor a; do case $a in *instance.cu) cat \"$a\" >> '" + path("calls") +
                    "';; esac; [ \"$o\" = -o ] && cp '" + code_ + "' \"$a\"; o=$a; done\n");
  const auto compiled = [&](const std::string& name, const std::vector<std::string>& more = {}) {
    fs::remove(path("calls"));
    auto words = transposed(name, {"--nvcc", path("nvcc")});
    words[0] = path("t.cu");
    words.insert(words.end(), more.begin(), more.end());
    return kernel(words);
  };
  EXPECT_EQ(compiled("transpose<1>"), 0) << err_;
  EXPECT_THAT(content("calls"), testing::StartsWith("-cubin -lineinfo -arch=sm_90 " + path("t.cu") + " -o "));
  EXPECT_EQ(compiled("transpose<1>", {"--nvcc-args", "-gencode arch=compute_90a,code=sm_90a -D'X=a b'"}), 0);
  EXPECT_THAT(content("calls"), testing::StartsWith("-cubin -lineinfo -gencode arch=compute_90a,code=sm_90a -DX=a b "));
  EXPECT_EQ(compiled("transpose<2>"), 125) << "the second compilation does not have it either";
  EXPECT_THAT(content("calls"), HasSubstr("#include \"" + path("t.cu") + "\""));
  EXPECT_THAT(content("calls"), HasSubstr("&transpose<2>)"));
  EXPECT_EQ(compiled("transpose<1>", {"--nvcc-args", "'"}), 125);
  write("nvcc", "#!/bin/sh\nexit 2\n");
  EXPECT_EQ(compiled("transpose<1>"), 125);
  EXPECT_THAT(err_, HasSubstr("nvcc ended with 2"));
  fs::remove(path("nvcc"));
  EXPECT_EQ(compiled("transpose<1>"), 122);
  EXPECT_THAT(err_, HasSubstr("nvcc -cubin -arch=sm_90 -lineinfo"));
}

}  // namespace
}  // namespace lanebank::tools
