// What `lanebank doctor` makes of machines of all kinds, put together from scripts.
#include "lanebank/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lanebank/probe.hpp"

namespace lanebank::tools {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::HasSubstr;

class Doctor : public testing::Test {
 protected:
  Doctor() {
    fs::create_directories(folder_ / "path");
    places_.executable = LANEBANK_COMMAND;
    places_.search_path = (folder_ / "path").string() + ":/nonexistent";
    places_.driver_folder = (folder_ / "driver").string();
    places_.temporary_folder = folder_.string();
  }
  ~Doctor() override { fs::remove_all(folder_); }

  void program(const std::string& name, const std::string& body, const std::string& where = "path") {
    file(where + "/" + name, "#!/bin/sh\n" + body + "\n");
    fs::permissions(folder_ / where / name, fs::perms::owner_all);
  }

  void file(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }

  DoctorPart part(const std::string& id) {
    for (const DoctorPart& part : examine(places_).parts)
      if (part.id == id) return part;
    ADD_FAILURE() << id;
    return {};
  }

  fs::path folder_ = testing::TempDir() + "lanebank-doctor-" + std::to_string(::getpid());
  DoctorPlaces places_;
};

TEST_F(Doctor, RunNeedsNothingOfCuda) {
  const DoctorReport report = examine(places_);
  EXPECT_TRUE(report.can_run());
  for (const DoctorPart& part : report.parts) {
    EXPECT_EQ(part.state, part.needed ? PartState::usable : PartState::absent) << part.id << ": " << part.note;
    EXPECT_EQ(part.remedy.empty(), part.needed) << part.id;
  }
  std::ostringstream out, err;
  EXPECT_EQ(run_doctor({}, places_, out, err), 0);
  EXPECT_THAT(out.str(), HasSubstr("`lanebank run` works here"));
}

TEST_F(Doctor, ALonelyCommandCannotRun) {
  fs::create_directories(folder_ / "alone/bin");
  fs::copy_file(LANEBANK_COMMAND, folder_ / "alone/bin/lanebank");
  places_.executable = (folder_ / "alone/bin/lanebank").string();
  std::ostringstream out, err;
  EXPECT_EQ(run_doctor({}, places_, out, err), 122);
  EXPECT_THAT(out.str(), HasSubstr("does NOT work here (exit 122)"));
  EXPECT_THAT(part("engine").note, HasSubstr("liblanebank_preload.so"));
}

TEST_F(Doctor, AnEngineThatCannotBeLoadedIsBroken) {
  fs::create_directories(folder_ / "damaged/bin");
  fs::copy_file(LANEBANK_COMMAND, folder_ / "damaged/bin/lanebank");
  places_.executable = (folder_ / "damaged/bin/lanebank").string();
  file("damaged/lib/lanebank/liblanebank_preload.so", "no library");
  EXPECT_THAT(part("engine").note, HasSubstr("liblanebank_engine.so is not beside it"));
  file("damaged/lib/lanebank/liblanebank_engine.so", "no library");
  EXPECT_EQ(part("engine").state, PartState::broken);
  EXPECT_THAT(part("engine").note, HasSubstr("cannot be preloaded"));
}

TEST_F(Doctor, ATemporaryFolderThatCannotBeWrittenIsNamed) {
  places_.temporary_folder = (folder_ / "missing").string();
  EXPECT_EQ(part("temporary").state, PartState::broken);
  EXPECT_FALSE(examine(places_).can_run());
}

TEST_F(Doctor, ReadsVersionsAsTheToolsPrintThem) {
  program("nvcc",
          "echo 'nvcc: NVIDIA (R) Cuda compiler driver'; echo 'Cuda compilation tools, release 13.0, V13.0.48'");
  program("ncu", "echo 'Copyright (c) 2018-2025'; echo 'Version 2025.3.0.0 (build 36273991)'");
  program("cmake", "echo cmake version 3.25.1");
  file("prefix/include/gtest/gtest.h", "");
  file("prefix/lib/cmake/GTest/GTestConfigVersion.cmake", "set(PACKAGE_VERSION \"1.12.1\")\n");
  places_.prefixes = {(folder_ / "prefix").string()};
  EXPECT_EQ(part("nvcc").version, "13.0.48");
  EXPECT_EQ(part("ncu").version, "2025.3.0.0");
  EXPECT_EQ(part("cmake").version, "3.25.1");
  EXPECT_EQ(part("googletest").version, "1.12.1");
  EXPECT_EQ(part("nvcc").state, PartState::usable);
}

TEST_F(Doctor, PtxasOffThePathIsOfLimitedUse) {
  program("ptxas", "echo 'release 13.0, V13.0.48'", "toolkit");
  places_.tool_folders = {(folder_ / "toolkit").string()};
  EXPECT_EQ(part("ptxas").state, PartState::limited);
  EXPECT_THAT(part("ptxas").remedy, HasSubstr("export PATH=$PATH:" + places_.tool_folders[0]));
  places_.search_path += ":" + places_.tool_folders[0];
  EXPECT_EQ(part("ptxas").state, PartState::usable);
}

TEST_F(Doctor, NamesEveryGpuAndWhatADriverWithoutOneSays) {
  program("nvidia-smi", "echo 'NVIDIA H200, 9.0, 560.35.03'; echo 'NVIDIA H200, 9.0, 560.35.03'");
  EXPECT_EQ(part("gpu").version, "NVIDIA H200, 9.0, 560.35.03; NVIDIA H200, 9.0, 560.35.03");
  program("nvidia-smi", "echo 'NVIDIA-SMI has failed: no driver'; exit 9");
  EXPECT_EQ(part("gpu").state, PartState::broken);
  EXPECT_THAT(part("gpu").note, HasSubstr("ended with 9: NVIDIA-SMI has failed: no driver"));
  EXPECT_TRUE(examine(places_).can_run());
}

TEST_F(Doctor, ProfilingMayBeForRootOnly) {
  program("ncu", "echo Version 2025.3.0.0");
  file("driver/params", "ModifyDeviceFiles: 1\nRmProfilingAdminOnly: 1\n");
  EXPECT_EQ(part("ncu").state, PartState::limited);
  places_.is_root = true;
  EXPECT_EQ(part("ncu").state, PartState::usable);
}

TEST_F(Doctor, NeverWaitsForAProgramThatHangs) {
  program("nvidia-smi", "sleep 60 & wait");
  program("ncu", "trap '' TERM; exec sleep 60 > /dev/null 2>&1");
  places_.limit = milliseconds(150);
  const auto begin = std::chrono::steady_clock::now();
  const DoctorReport report = examine(places_);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_TRUE(std::all_of(report.parts.begin(), report.parts.end(), [](const DoctorPart& part) {
    return (part.id != "gpu" && part.id != "ncu") ||
           (part.state == PartState::broken && part.note.find("did not answer within 0.15 s") != std::string::npos);
  }));
}

TEST_F(Doctor, TakesAnyBytesForAnAnswer) {
  program("nvcc", "printf 'V13.\\377\\200\\0 V13.1.2.3. \\033[31m'");
  program("cmake", "head -c 1000000 /dev/zero");
  program("nvidia-smi", "printf '\\377\\376'");
  const std::string text = doctor_json(examine(places_));
  const auto document = nlohmann::json::parse(text);
  EXPECT_EQ(document.at("schema"), "lanebank.doctor/1");
  EXPECT_EQ(part("cmake").state, PartState::limited);
}

TEST_F(Doctor, WritesJsonForPrograms) {
  std::ostringstream out, err;
  EXPECT_EQ(run_doctor({"-"}, places_, out, err), 0);
  EXPECT_EQ(nlohmann::json::parse(out.str()).at("can_run"), true);
  EXPECT_EQ(run_doctor({(folder_ / "missing/doctor.json").string()}, places_, out, err), 125);
  EXPECT_THAT(err.str(), HasSubstr("missing/doctor.json"));
}

TEST(Probe, SaysHowAProgramEnded) {
  const auto ended = ask_program({"/bin/sh", "-c", "echo out; echo err >&2; exit 7"}, {}, milliseconds(10'000));
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->ended);
  EXPECT_EQ(ended->exit_code, 7);
  EXPECT_EQ(ended->output, "out\nerr\n");
  EXPECT_EQ(ask_program({"/bin/sh", "-c", "kill -9 $$"}, {}, milliseconds(10'000))->exit_code, 128 + SIGKILL);
  EXPECT_EQ(ask_program({"/bin/sh", "-c", "echo $MARK"}, {"MARK=here"}, milliseconds(10'000))->output, "here\n");
  EXPECT_FALSE(ask_program({"/nonexistent"}, {}, milliseconds(100)));
}

}  // namespace
}  // namespace lanebank::tools
