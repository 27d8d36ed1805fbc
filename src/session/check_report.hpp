// From the hazards that the memory checks found to sentences with lines, threads and array elements.
#pragma once

#include <optional>
#include <vector>

#include "checks/memory_checker.hpp"
#include "checks/memory_findings.hpp"
#include "checks/swizzle_mismatch.hpp"
#include "findings/report.hpp"
#include "session/launch_report.hpp"

namespace lanebank::session {

/// What each instruction of the kernel may reach, for the check of bounds; instructions of other functions stay unknown.
std::vector<checks::InstructionArray> arrays_meant(const FunctionText& kernel, const machine::LaunchRequest& request);

/// Generic accesses that C++ calls atomic (.STRONG, .MMIO), by instruction of the launched program: the kernel, then all functions.
std::vector<bool> strong_accesses(const machine::LaunchRequest& request);

/// What lies between the kernel's shared arrays, where these are known.
std::vector<checks::ByteRange> padding(const image::Function& function);

/// Errors first, then by address. Plain reads that give a compare-and-swap the value it compares with race with swaps by
/// design and are left out: so compilers make atomics of floats.
/// `influence`: whether uninitialised reads change what the kernel does; if not they are left out.
std::vector<findings::CheckReport> check_reports(const std::vector<checks::Hazard>& hazards,
                                                 std::optional<bool> influence, const machine::LaunchRequest& request,
                                                 const machine::LaunchInfo& info, FunctionTexts& texts);

/// Arrays that are written through a swizzle and read another way; notes.
std::vector<findings::CheckReport> swizzle_reports(const std::vector<checks::SwizzleMismatch>& mismatches,
                                                   const machine::LaunchRequest& request,
                                                   const machine::LaunchInfo& info, FunctionTexts& texts);

/// Of each array, what no block of the launch accessed; notes.
std::vector<findings::CheckReport> unused_reports(const std::vector<checks::ByteRange>& untouched,
                                                  const machine::LaunchRequest& request,
                                                  const machine::LaunchInfo& info, FunctionTexts& texts);

/// Where a kernel stopped because it reached past its dynamic shared memory: what the launch should have asked for.
std::optional<findings::CheckReport> shared_size_report(const machine::LaunchRequest& request,
                                                        const machine::LaunchOutcome& outcome, FunctionTexts& texts);

}  // namespace lanebank::session
