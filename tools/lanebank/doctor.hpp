// `lanebank doctor`: what of lanebank, of the CUDA toolkit and of a GPU is on this machine, and what that enables.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

namespace lanebank::tools {

enum class PartState {
  usable,
  limited,  ///< there, but not for everything; `note` says what is missing
  absent,
  broken,  ///< there, but does not work; `note` says what happened
};

/// One row of doctor_parts.def, looked for.
struct DoctorPart {
  std::string id, name;
  bool needed = false;
  PartState state = PartState::absent;
  std::string version, path;  ///< empty: none
  std::string note;           ///< what is wrong with it
  std::string enables;
  std::string remedy;  ///< empty where nothing is to be done
};

/// Where it is looked for, and how long an answer may take.
struct DoctorPlaces {
  std::string executable;                 ///< lanebank itself
  std::string search_path;                ///< PATH
  std::vector<std::string> tool_folders;  ///< for programs of CUDA that are not on PATH
  std::vector<std::string> prefixes;      ///< for headers: include/ lies in them
  std::string driver_folder;              ///< /proc/driver/nvidia
  std::string temporary_folder;           ///< empty: /tmp
  bool is_root = false;
  std::chrono::milliseconds limit{10'000};  ///< of each question to another program; all are asked at once

  static DoctorPlaces of_this_machine();
};

struct DoctorReport {
  std::vector<DoctorPart> parts;  ///< in the order of doctor_parts.def
  /// Everything that `lanebank run` needs is there.
  bool can_run() const;
};

DoctorReport examine(const DoctorPlaces& places);

std::string doctor_text(const DoctorReport& report);
/// lanebank.doctor/1
std::string doctor_json(const DoctorReport& report);

struct DoctorArguments {
  std::string json;  ///< a file; "-": standard output, instead of the text
  double limit_seconds = 10;
};

/// 0 where `lanebank run` can work, else 122; 125 where the answer cannot be written.
int run_doctor(const DoctorArguments& arguments, const DoctorPlaces& places, std::ostream& out, std::ostream& err);

}  // namespace lanebank::tools
