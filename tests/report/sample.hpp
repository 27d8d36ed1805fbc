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
  findings::InstructionReport read = row(496, "LDS R9, [R6]", Kind::load, 14, 32768, 1048576, 32768, 32);
  read.why = "lanes 0..31 read 32 different words of bank 0: a column, rows 128 bytes apart";
  read.worst = column_access();
  read.suggestion =
      findings::Suggestion{"column ^ row (0 bytes), or rows of 33 floats (+128 bytes): 32,768 wavefronts"};
  set_rows(launch, {row(16, "S2R R0, SR_TID.X", Kind::other, 10, 32768, 0, 0, 0),
                    row(400, "STS [R5], R4", Kind::store, 13, 32768, 32768, 32768, 1), read});
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

}  // namespace lanebank::test
