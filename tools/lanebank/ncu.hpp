// Nsight Compute as a program: where it is, what it is asked for, and what it says when it cannot measure.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "session/engine.hpp"
#include "verify/measurement.hpp"

namespace lanebank::tools {

/// The ncu to run: `given`, or that on PATH, or in the usual folders of the toolkit. Error "ncu.missing", with what to do without.
Result<std::string> find_ncu(const std::string& given);

/// Error "ncu.no-gpu" where the machine shows no NVIDIA device.
Result<void> require_gpu();

/// A program that ran under ncu.
struct Profile {
  int exit_code = 0;  ///< the program's own
  verify::Measurement launches;
};

/// Runs the program under ncu, with the filters of `engine`, and reads what it counted. Files lie in `folder`: report.ncu-rep,
/// source.csv, raw.csv. The program's output goes nowhere. Errors ("ncu.…"): no permission, no kernel, ncu failed.
Result<Profile> profile(const std::string& ncu, const std::vector<std::string>& command,
                        const session::EngineOptions& engine, const std::string& folder);

/// What a file of another machine holds: CSV that ncu printed, or a report (.ncu-rep), which ncu has to convert, into `folder`.
Result<verify::Measurement> import_measurement(const std::string& file, const std::string& ncu,
                                               const std::string& folder);

}  // namespace lanebank::tools
