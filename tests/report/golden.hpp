// Golden texts stand in data/. `LANEBANK_BLESS=1 report_test` writes them anew.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace lanebank::test {

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(LANEBANK_TEST_DATA) + "/" + name;
  if (std::getenv("LANEBANK_BLESS")) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str()) << path << "\nbless with LANEBANK_BLESS=1 if the new text is right";
}

}  // namespace lanebank::test
