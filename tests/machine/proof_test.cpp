// Every executed row of the instruction table names what hardware says of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "hardware/instruction_probe.hpp"
#include "sass/table.hpp"

namespace lanebank::probe {
namespace {

enum class Kind { recorded, transcript, truth, none };
struct Proof {
  std::string row;
  Kind kind;
  std::string where;
};
const std::vector<Proof> proofs = {
#define LANEBANK_PROOF(row, kind, where) {#row, Kind::kind, where},
#include "proofs.def"
};

const std::set<std::string> recorded_names = {
#define LANEBANK_RECORDED(name, words, hash) #name,
#include "data/arithmetic_h200.def"
#undef LANEBANK_RECORDED
};

const std::string data = LANEBANK_TEST_DATA;

const std::vector<Case>& cases() {
  static const std::vector<Case> all = read_cases(data + "/instructions_h200.txt");
  return all;
}

/// The rows that have a proof; `reasons`: or a reason for none.
std::set<std::string> proved(bool reasons) {
  std::set<std::string> rows;
  for (const Case& c : cases()) rows.insert(c.row);
  for (const Proof& p : proofs)
    if (reasons || p.kind != Kind::none) rows.insert(p.row);
  return rows;
}

TEST(Proofs, EveryExecutedRowOfTheMeasuredArchitectureHasOneOrSaysWhyNot) {
  const std::set<std::string> rows = proved(true);
  for (const sass::RowInfo& row : sass::rows)
    if (row.status.supported && row.last_architecture == 90) {
      EXPECT_TRUE(rows.count(std::string(row.id))) << row.id << ": add cases to the probe, or an entry to proofs.def";
    }
}

TEST(Proofs, OlderFormsAreLoweredAsAFormThatHasOne) {
  const std::set<std::string> rows = proved(false);
  std::set<std::string> functions;
  for (const sass::RowInfo& row : sass::rows)
    if (rows.count(std::string(row.id))) functions.insert(std::string(row.lower));
  const std::set<std::string> told = proved(true);  // or that there is no such hardware
  for (const sass::RowInfo& row : sass::rows)
    if (row.status.supported && row.last_architecture < 90 && row.lower != "JMP" && !told.count(std::string(row.id))) {
      EXPECT_TRUE(functions.count(std::string(row.lower))) << row.id << " is lowered by " << row.lower;
    }
}

TEST(Proofs, NameWhatThereIs) {
  std::map<std::string, const sass::RowInfo*> table;
  for (const sass::RowInfo& row : sass::rows) table[std::string(row.id)] = &row;
  std::set<std::string> recorded;
  for (const Case& c : cases()) recorded.insert(c.row);
  std::set<std::string> seen;
  for (const Proof& p : proofs) {
    SCOPED_TRACE(p.row);
    EXPECT_TRUE(seen.insert(p.row).second) << "stands twice";
    ASSERT_TRUE(table.count(p.row));
    EXPECT_TRUE(table[p.row]->status.supported) << "is not executed";
    if (p.kind == Kind::none) {
      EXPECT_FALSE(recorded.count(p.row)) << "has cases in instructions_h200.txt";
    }
    const std::string root = data + "/../../";
    switch (p.kind) {
      case Kind::recorded:
        EXPECT_TRUE(recorded_names.count(p.where)) << p.where;
        break;
      case Kind::transcript:
        EXPECT_TRUE(std::filesystem::exists(root + "cudart/hardware/" + p.where + ".cu")) << p.where;
        EXPECT_TRUE(std::filesystem::exists(root + "cudart/hardware/" + p.where + ".h200.txt")) << p.where;
        break;
      case Kind::truth:
        EXPECT_TRUE(std::filesystem::exists(root + "data/cases/" + p.where + ".cu")) << p.where;
        break;
      case Kind::none:
        EXPECT_GT(p.where.size(), 20u) << "says why";
    }
  }
}

TEST(Proofs, CasesOfTheProbeHoldTheRowThatTheyProve) {
  for (const Case& c : cases()) {
    bool holds = false;
    for (const Word& word : c.words) {
      const sass::Row row = sass::decode(word, 0, 90).row;
      holds = holds || (row != sass::no_row && sass::info(row).id == c.row);
    }
    EXPECT_TRUE(holds) << c.row << " " << std::hex << c.words[0].low << " " << c.words[0].high;
  }
}

}  // namespace
}  // namespace lanebank::probe
