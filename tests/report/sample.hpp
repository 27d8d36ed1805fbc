// A report as a real program makes it, small: figures of the transposes on sm_90.
#pragma once

#include <memory>

#include "findings/report.hpp"

namespace lanebank::test {

inline findings::InstructionReport row(std::uint32_t address, const char* sass, findings::Kind kind, std::uint32_t line,
                                       std::uint64_t executed, std::uint64_t wavefronts, std::uint64_t ideal,
                                       std::uint32_t worst) {
  findings::InstructionReport row;
  row.address = address;
  row.sass = sass;
  row.kind = kind;
  row.bits = kind == findings::Kind::other ? 0 : 32;
  row.file = line == 0 ? "" : "/home/me/project/transposes.cu";
  row.line = line;
  row.array = kind == findings::Kind::other ? "" : "tile";
  row.executed = executed;
  row.threads = executed * 32;
  row.wavefronts = wavefronts;
  row.ideal = ideal;
  row.worst_degree = worst;
  return row;
}

inline findings::WorstAccess column_access() {
  findings::WorstAccess worst;
  worst.mask = 0xffffffff;
  worst.phases = {{0xffffffff, 32, 0, 0xffffffff}};
  worst.array_bytes = 4096;
  worst.wavefronts = 32;
  worst.ideal = 1;
  for (unsigned lane = 0; lane < 32; lane++) {
    worst.addresses[lane] = lane * 128;
    worst.lanes.push_back(static_cast<std::uint8_t>(lane));
  }
  return worst;
}

inline void set_rows(findings::LaunchReport& launch, findings::Instructions rows) {
  launch.shared = findings::totals(rows);
  launch.instructions = std::make_shared<const findings::Instructions>(std::move(rows));
}

/// The same under the column XORed by the row.
inline findings::WorstAccess cured_access() {
  findings::WorstAccess cured = column_access();
  cured.wavefronts = 1;
  cured.lanes.clear();
  cured.phases = {{0xffffffff, 1, 0, 0}};
  for (unsigned lane = 0; lane < 32; lane++) cured.addresses[lane] = lane * 128 + lane * 4;
  return cured;
}

/// The read of the plain 32x32 transpose, down a column.
inline findings::InstructionReport cured_row() {
  findings::InstructionReport read = row(496, "LDS R9, [R6]", findings::Kind::load, 14, 32768, 1048576, 32768, 32);
  read.why = "lanes 0..31 read 32 different words of bank 0: a column, rows 128 bytes apart";
  read.worst = column_access();
  read.suggestion = {"column ^ row (0 bytes), or rows of 33 floats (+128 bytes): 32,768 wavefronts",
                     findings::RowLayout{128, 0, 4, 1}, cured_access()};
  return read;
}

/// The plain 32x32 transpose: its read goes down a column.
inline findings::LaunchReport plain_launch(std::uint64_t id = 0) {
  using findings::Kind;
  findings::LaunchReport launch;
  launch.id = id;
  launch.kernel = "void tr<(int)0, (int)32>(const float *, float *, int)";
  launch.symbol = "_Z2trILi0ELi32EEvPKfPfi";
  launch.arch = "sm_90";
  launch.grid = {32, 32, 1};
  launch.block = {32, 32, 1};
  launch.static_shared_bytes = 4096;
  launch.warp_instructions = 1376256;
  launch.has_lines = true;
  launch.seconds = 0.0125;
  launch.rules_source = "measured on an H200";
  set_rows(launch, {row(16, "S2R R0, SR_TID.X", Kind::other, 10, 32768, 0, 0, 0),
                    row(400, "STS [R5], R4", Kind::store, 13, 32768, 32768, 32768, 1), cured_row()});
  return launch;
}

/// The accesses of plain_launch, and some of every other sort.
inline findings::AccessLog sample_log() {
  findings::AccessLog log;
  log.static_shared_bytes = 4096;
  log.dynamic_shared_bytes = 512;
  log.arrays_known = true;
  log.arrays = {{"tile", 0, 4096, 4, 4}, {"smem", 4096, 512, 2, 16, true, true, true, true, 17}};
  log.room = {232448, 233472, 1024, 128, 2};
  findings::LoggedAccess store, load, copy;
  store.row = 1;
  store.array = load.array = 0;
  store.kind = AccessKind::store;
  load.row = copy.row = 2;
  store.lanes = load.lanes = 0xffffffffu;
  for (unsigned lane = 0; lane < 32; lane++) {
    store.relative_bytes[lane] = static_cast<std::int32_t>(4 * lane);
    load.relative_bytes[lane] = static_cast<std::int32_t>(128 * lane);
  }
  for (std::uint32_t i = 0; i < 32; i++) {
    store.bases.push_back({128 * i, 1024});
    load.bases.push_back({4 * i, 1024});
  }
  copy.kind = AccessKind::async_copy_cg;
  copy.lane_bytes = 16;
  copy.lanes = 0x80000101u;
  copy.relative_bytes[8] = -64;
  copy.relative_bytes[31] = 32;
  copy.source = SourceOrder::given;
  copy.source_bytes[0] = 4096;
  copy.source_bytes[31] = 0x80000000u;
  copy.bases = {{4160, 1}, {4224, std::uint64_t{1} << 40}};
  log.accesses = {store, load, copy};
  return log;
}

/// What a check of memory accesses reports: thread 37 reads what thread 5 writes.
inline findings::CheckReport race() {
  findings::CheckReport check;
  check.hazard = "read-after-write";
  check.message = "thread 37 reads tile[5], which thread 5 writes at transposes.cu:13: no barrier orders the two";
  check.access = {496, "", "LDS R9, [R6]", "/home/me/project/transposes.cu", 14, 37};
  check.earlier = findings::AccessPlace{400, "helper(int)", "STS [R1], R2", "/home/me/project/transposes.cu", 13, 5};
  check.array = "tile";
  check.byte = 20;
  check.block = 3;
  check.count = 1024;
  check.suggestion = findings::Suggestion{"__syncthreads() between transposes.cu:13 and transposes.cu:14"};
  return check;
}

inline findings::LaunchReport clean_launch(std::uint64_t id = 1) {
  using findings::Kind;
  findings::LaunchReport launch = plain_launch(id);
  launch.kernel = "void tr<(int)1, (int)32>(const float *, float *, int)";
  launch.symbol = "_Z2trILi1ELi32EEvPKfPfi";
  launch.static_shared_bytes = 4224;
  set_rows(launch, {row(400, "STS [R5], R4", Kind::store, 13, 32768, 32768, 32768, 1),
                    row(496, "LDS R9, [R6]", Kind::load, 14, 32768, 32768, 32768, 1)});
  return launch;
}

inline findings::ProgramReport sample_report() {
  findings::ProgramReport report;
  report.command = {"./transposes", "1024", "1"};
  report.launches = {plain_launch(0), clean_launch(1)};
  report.seconds = 0.31;
  findings::make_files_relative(report.launches, "/home/me/project");
  report.findings = findings::findings_of(report.launches);
  return report;
}

/// Everything that a report can hold.
inline findings::ProgramReport rich_report() {
  findings::ProgramReport report = sample_report();
  for (unsigned i = 0; i < 19; i++) report.launches.push_back(plain_launch());
  findings::LaunchReport histogram;
  histogram.kernel = "histogram(const int *, int *)";
  histogram.symbol = "_Z9histogramPKiPi";
  histogram.arch = "sm_75";
  histogram.measured = false;
  histogram.rules_source = "assumed to follow sm_90, where the rules were measured";
  histogram.grid = {64, 1, 1};
  histogram.block = {256, 1, 1};
  histogram.dynamic_shared_bytes = 1024;
  auto spin = row(320, "@!P0 ATOMS.CAST.SPIN R9, [R6], R8, R9", findings::Kind::atomic, 0, 97, 194, 194, 2);
  auto load = row(288, "LDS R8, [R5+UR4]", findings::Kind::load, 0, 97, 547, 97, 8);
  spin.timing_dependent = load.timing_dependent = true;
  load.array = spin.array = "";
  load.why = "lanes 0, 4, 8 .. 28 read 8 different words of bank 0: a stride of 32 bytes";
  auto copy = row(640, "LDGSTS.E.64 desc[UR6][R4.64], [R9]", findings::Kind::async_copy, 0, 16, 0, 0, 0);
  copy.modelled = false;
  copy.why = "the source is scattered, and the rule for that is not known";
  set_rows(histogram, {load, spin, copy, row(700, "STS [R1], R2", findings::Kind::store, 0, 0, 0, 0, 0)});
  report.launches.push_back(histogram);
  findings::LaunchReport bad = clean_launch();
  bad.kernel = "void ns::broken<float>(T1 *)";
  bad.symbol = "_ZN2ns6brokenIfEEvPT_";
  bad.fault = findings::FaultReport{"shared_out_of_bounds",
                                    "Stores 4 bytes at shared byte 4,224, past the block's 4,224 bytes.",
                                    400,
                                    "",
                                    "transposes.cu",
                                    13,
                                    5,
                                    1023};
  findings::CheckReport again = race(), unsure = race();
  again.access.address += 64;  // the same lines: said once
  again.values = findings::MetValues{"0x0000002a", "0x0000002b"};
  unsure.rule = findings::Rule::uninitialised;
  unsure.severity = Severity::warning;
  unsure.hazard = "uninitialised-read";
  unsure.message = "thread 3 reads tile[9], which no thread of the block wrote before";
  unsure.earlier.reset();
  unsure.suggestion.reset();
  unsure.access.line = 0;
  unsure.count = 1;
  bad.checks = {race(), again, unsure};
  report.launches.push_back(bad);
  findings::LaunchReport axpy = clean_launch();
  axpy.kernel = "axpy(float, const float *, float *)";
  axpy.symbol = "_Z4axpyfPKfPf";
  set_rows(axpy, {});
  report.launches.push_back(axpy);
  for (std::size_t i = 0; i < report.launches.size(); i++) report.launches[i].id = i;
  findings::make_files_relative(report.launches, "/home/me/project");
  report.findings = findings::findings_of(report.launches);
  report.filtered_launches = 3;
  report.problems = {{"call.unsupported", "cudaImportExternalMemory",
                      "the program calls this function, which lanebank does not implement",
                      "It got cudaErrorNotSupported.", Severity::error}};
  return report;
}

}  // namespace lanebank::test
