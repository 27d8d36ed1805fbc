#include <sstream>

#include "files.hpp"
#include "image/cubin.hpp"

namespace lanebank::image {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// "arrays.cu:20 arrays.cu:44", innermost first.
std::string chain_text(const std::vector<SourcePosition>& chain) {
  std::string text;
  for (const SourcePosition& position : chain)
    text += (text.empty() ? "" : " ") + file_name(position.file) + ":" + std::to_string(position.line);
  return text;
}

/// The number of the line of arrays.cu that contains `piece`.
std::uint32_t line_of(const std::string& piece) {
  std::istringstream source(data_text("arrays.cu"));
  std::uint32_t number = 1;
  for (std::string line; std::getline(source, line); ++number)
    if (line.find(piece) != std::string::npos) return number;
  ADD_FAILURE() << "arrays.cu has no " << piece;
  return 0;
}

TEST(Lines, ChainsAreThoseThatNvdisasmPrints) {
  for (const char* name : {"arrays_sm75", "arrays_sm90", "arrays_rdc_sm90"}) {
    Cubin cubin = data_cubin(std::string(name) + ".cubin");
    std::istringstream golden(data_text(std::string(name) + ".lines.txt"));
    std::size_t compared = 0;
    for (std::string line; std::getline(golden, line); ++compared) {
      std::istringstream fields(line);
      std::string symbol, chain;
      std::uint32_t offset = 0;
      fields >> symbol >> std::hex >> offset >> std::ws;
      std::getline(fields, chain);
      EXPECT_EQ(chain_text(function_of(cubin, symbol).lines.find(offset)), chain)
          << name << " " << symbol << " " << offset;
    }
    EXPECT_GT(compared, 100u);
  }
}

TEST(Lines, InlinedCallsGiveTheFunctionAndThePlaceOfTheCall) {
  Cubin cubin = data_cubin("arrays_sm90.cubin");
  const Function& kernel = function_of(cubin, "_Z7inlinedPKfPf");
  std::uint32_t store = line_of("inlined_tile[threadIdx.x % N] = in"), call = line_of("through_shared<33>(in) + ");
  bool seen33 = false, seen17 = false;
  for (const LineTable::Row& row : kernel.lines.rows) {
    std::vector<SourcePosition> chain = kernel.lines.find(row.offset_bytes);
    ASSERT_FALSE(chain.empty());
    EXPECT_EQ(chain.back().function, "");
    if (chain[0].line != store) continue;
    ASSERT_EQ(chain.size(), 2u);
    EXPECT_EQ(chain[1].line, call);
    EXPECT_EQ(chain[0].file, chain[1].file);
    seen33 = seen33 || chain[0].function == "float through_shared<33>(float const*)";
    seen17 = seen17 || chain[0].function == "float through_shared<17>(float const*)";
  }
  EXPECT_TRUE(seen33);
  EXPECT_TRUE(seen17);
}

TEST(Lines, RowsCoverTheFunctionFromItsStart) {
  for (const char* name : {"arrays_sm75.cubin", "arrays_sm90.cubin", "arrays_cuda12_sm90.cubin"}) {
    Cubin cubin = data_cubin(name);
    EXPECT_TRUE(cubin.warnings.empty());
    for (const Function& function : cubin.functions) {
      ASSERT_FALSE(function.lines.empty()) << name << " " << function.symbol;
      EXPECT_EQ(function.lines.rows[0].offset_bytes, 0u);
      for (std::size_t i = 1; i < function.lines.rows.size(); ++i)
        EXPECT_LT(function.lines.rows[i - 1].offset_bytes, function.lines.rows[i].offset_bytes);
    }
  }
}

TEST(Lines, BuildsWithoutLineinfoHaveNoLines) {
  Cubin cubin = data_cubin("tiny_sm90.cubin");
  const Function& kernel = function_of(cubin, "_Z7reversePKfPf");
  EXPECT_TRUE(kernel.lines.empty());
  EXPECT_TRUE(kernel.lines.find(0).empty());
}

TEST(Lines, VersionsThatAreNotKnownLeaveAWarningAndTheCode) {
  std::vector<std::byte> file = data_bytes("arrays_sm90.cubin");
  // The only unit of .debug_line starts with its length and version 2; its first file is arrays.cu.
  std::string text(reinterpret_cast<const char*>(file.data()), file.size());
  std::size_t folder = text.find("/usr/src/lanebank-image");
  ASSERT_NE(folder, std::string::npos);
  std::size_t version = text.rfind(std::string("\2\0", 2), folder);
  ASSERT_NE(version, std::string::npos);
  put_at<std::uint16_t>(file, version, 9);
  Result<Cubin> cubin = read_cubin(file);
  ASSERT_TRUE(cubin.has_value()) << to_string(cubin.error());
  ASSERT_EQ(cubin->warnings.size(), 1u);
  EXPECT_EQ(cubin->warnings[0].id, "cubin.line-table");
  EXPECT_NE(cubin->warnings[0].what.find("version 9"), std::string::npos);
  EXPECT_TRUE(function_of(*cubin, "_Z4nonePf").lines.empty());
}

}  // namespace
}  // namespace lanebank::image
