// The measured patterns of tests/data/truth as accesses with what the hardware said. The names are read here
// by their parts, not through the product's table, so that the two check each other.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "lanebank/bank_model.hpp"

namespace lanebank::truth {

struct Row {
  std::string file, text, instruction;
  std::size_t line = 0;
  Access access;
  unsigned wavefronts = 0;
  int ideal = -1;  ///< -1: not in the file
};

inline bool starts(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

inline AccessKind kind_of(const std::string& name) {
  if (name == "ld") return AccessKind::load;
  if (name == "st") return AccessKind::store;
  if (starts(name, "ldmatrix_")) return AccessKind::matrix_load;
  if (starts(name, "stmatrix_")) return AccessKind::matrix_store;
  if (starts(name, "atom_cas_")) return AccessKind::atomic_cas;
  if (starts(name, "atom_") || starts(name, "red_")) return AccessKind::atomic;
  if (starts(name, "cp_async_ca_")) return AccessKind::async_copy_ca;
  if (starts(name, "cp_async_cg_")) return AccessKind::async_copy_cg;
  ADD_FAILURE() << "instruction " << name;
  return AccessKind::load;
}

/// Rows of instruction,access_bytes,active_mask,wavefronts[,ideal],byte_addresses. The source of lane i of a copy lies
/// at i x size for names with `_dense`, at 16 i else.
inline std::vector<Row> rows_of(const std::string& name) {
  std::ifstream in(std::string(LANEBANK_SHARED_DATA) + "/truth/" + name);
  std::string text;
  std::getline(in, text);
  const bool with_ideal = text.find(",ideal,") != std::string::npos;
  std::vector<Row> rows;
  for (std::size_t line = 2; std::getline(in, text); ++line) {
    Row row;
    row.file = name;
    row.line = line;
    row.text = text;
    std::istringstream fields(text);
    std::string field;
    std::getline(fields, row.instruction, ',');
    row.access.kind = kind_of(row.instruction);
    std::getline(fields, field, ',');
    row.access.lane_bytes = static_cast<unsigned>(std::stoul(field));
    std::getline(fields, field, ',');
    row.access.active_lanes = static_cast<std::uint32_t>(std::stoul(field, nullptr, 16));
    std::getline(fields, field, ',');
    row.wavefronts = static_cast<unsigned>(std::stoul(field));
    if (with_ideal) {
      std::getline(fields, field, ',');
      row.ideal = std::stoi(field);
    }
    std::getline(fields, field);
    std::istringstream addresses(field);
    for (std::uint32_t& address : row.access.addresses) addresses >> address;
    EXPECT_FALSE(addresses.fail()) << name << ":" << line;
    const std::size_t x = row.instruction.find("matrix_x");
    if (x != std::string::npos) row.access.matrices = static_cast<unsigned>(row.instruction[x + 8] - '0');
    const bool dense = row.instruction.find("_dense") != std::string::npos;
    std::uint64_t sources[lanes_per_warp];
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
      sources[lane] = 0x7f0000000000u + lane * (dense ? row.access.lane_bytes : 16);
    row.access.source = source_order(sources, row.access.active_lanes, row.access.lane_bytes);
    rows.push_back(row);
  }
  EXPECT_FALSE(rows.empty()) << name;
  return rows;
}

}  // namespace lanebank::truth
