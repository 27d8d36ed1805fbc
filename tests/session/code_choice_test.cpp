#include "session/code_choice.hpp"

#include <gtest/gtest.h>

namespace lanebank::session {
namespace {

using image::FatbinEntry;

/// "90a" a cubin, "p80" PTX.
Entries entries(std::initializer_list<const char*> items) {
  Entries result;
  for (std::string item : items) {
    FatbinEntry entry;
    if (item[0] == 'p') {
      entry.kind = FatbinEntry::Kind::ptx;
      item.erase(0, 1);
    }
    entry.architecture_specific = item.back() == 'a';
    entry.family_specific = item.back() == 'f';
    entry.architecture = static_cast<unsigned>(std::stoul(item));
    result.push_back(entry);
  }
  return result;
}

std::string cubin(std::initializer_list<const char*> items, unsigned architecture) {
  const Entries list = entries(items);
  const FatbinEntry* entry = choose_cubin(list, architecture);
  return entry ? std::to_string(entry->architecture) + (entry->architecture_specific ? "a" : "") : "none";
}

std::string ptx(std::initializer_list<const char*> items, unsigned architecture) {
  const Entries list = entries(items);
  const FatbinEntry* entry = choose_ptx(list, architecture);
  return entry ? std::to_string(entry->architecture) : "none";
}

unsigned device(std::initializer_list<std::initializer_list<const char*>> fatbins) {
  std::vector<Entries> lists;
  for (auto& items : fatbins) lists.push_back(entries(items));
  std::vector<const Entries*> pointers;
  for (const Entries& list : lists) pointers.push_back(&list);
  return choose_architecture(pointers);
}

TEST(CodeChoice, RunsTheNewestCubinOfTheSameMajorVersion) {
  EXPECT_EQ(cubin({"75", "80", "86", "90"}, 90), "90");
  EXPECT_EQ(cubin({"75", "80", "86", "90"}, 89), "86");
  EXPECT_EQ(cubin({"80"}, 86), "80");
  EXPECT_EQ(cubin({"86"}, 80), "none");
  EXPECT_EQ(cubin({"80"}, 90), "none");
  EXPECT_EQ(cubin({"90", "90a"}, 90), "90a");
  EXPECT_EQ(cubin({"90a", "90"}, 90), "90a");
  EXPECT_EQ(cubin({"100", "120"}, 90), "none");
  EXPECT_EQ(cubin({"70"}, 75), "none") << "sm_70 code has no table here";
  EXPECT_EQ(cubin({}, 90), "none");
}

TEST(CodeChoice, AssemblesTheNewestPtxThatIsNotTooNew) {
  EXPECT_EQ(ptx({"p75", "p80"}, 90), "80");
  EXPECT_EQ(ptx({"p120"}, 90), "none");
  EXPECT_EQ(ptx({"p90a"}, 90), "90");
  EXPECT_EQ(ptx({"p80", "80"}, 80), "80");
  EXPECT_EQ(ptx({"80"}, 80), "none");
}

TEST(CodeChoice, TheDeviceIsTheNewestForWhichAllFatbinsHaveCode) {
  EXPECT_EQ(device({{"75", "p75"}}), 75u);
  EXPECT_EQ(device({{"80", "p80"}}), 80u);
  EXPECT_EQ(device({{"75", "80", "86", "90", "100", "120", "p120"}}), 90u);
  EXPECT_EQ(device({{"75", "90"}, {"75"}}), 75u);
  EXPECT_EQ(device({{"80", "p80"}, {"90"}}), 90u) << "PTX of the first can be assembled for sm_90";
  EXPECT_EQ(device({{"80"}, {"90"}}), 90u) << "one of them cannot run; the newest is shown";
  EXPECT_EQ(device({{"80"}, {"86"}}), 86u) << "sm_80 code runs on sm_86";
  EXPECT_EQ(device({{"80"}, {}}), 80u) << "a fatbin without code asks for nothing";
  EXPECT_EQ(device({{"p75"}}), 90u);
  EXPECT_EQ(device({{"100", "120"}}), 90u);
  EXPECT_EQ(device({}), 90u);
}

TEST(CodeChoice, SaysWhatAFatbinOffers) {
  EXPECT_EQ(offer(entries({"120", "100", "p120"})), "PTX for compute_120, sm_100 and sm_120");
  EXPECT_EQ(offer(entries({"90a", "90a"})), "sm_90a");
  EXPECT_EQ(offer({}), "no code");
  EXPECT_EQ(nvcc_flag(86), "-gencode arch=compute_86,code=sm_86");
}

}  // namespace
}  // namespace lanebank::session
