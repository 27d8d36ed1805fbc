// docs/instructions.md is the table's page. `LANEBANK_BLESS=1 sass_page_test` writes it anew.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tools/instructions_page.hpp"

TEST(InstructionsPage, IsWhatTheTableSays) {
  const std::string page = lanebank::sass::instructions_page();
  if (std::getenv("LANEBANK_BLESS")) std::ofstream(LANEBANK_INSTRUCTIONS_PAGE) << page;
  std::ifstream stream(LANEBANK_INSTRUCTIONS_PAGE);
  std::ostringstream written;
  written << stream.rdbuf();
  EXPECT_EQ(page, written.str()) << LANEBANK_INSTRUCTIONS_PAGE << "\nbless with LANEBANK_BLESS=1 if the table is right";
}
