// `lanebank wavefronts FILE.csv`: the measured files, and what hostile files are told.
#include "checks/wavefronts_csv.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace lanebank::checks {
namespace {

struct Answer {
  std::string out;
  Result<void> result;
};

Answer predict(const std::string& text, unsigned architecture = 90, bool source_page = false) {
  std::istringstream in(text);
  std::ostringstream out;
  Result<void> result = predict_wavefronts(in, out, {"f.csv", architecture, source_page});
  return {out.str(), result};
}

std::string addresses(unsigned stride) {
  std::string text;
  for (unsigned lane = 0; lane < 32; ++lane) text += (lane == 0 ? "" : " ") + std::to_string(lane * stride);
  return text;
}

const std::string header = "instruction,access_bytes,active_mask,byte_addresses\n";

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
  return fields;
}

class MeasuredFile : public testing::TestWithParam<const char*> {};

TEST_P(MeasuredFile, PredictionEqualsEveryModelledRow) {
  std::ifstream file(std::string(LANEBANK_SHARED_DATA) + "/truth/" + GetParam());
  std::stringstream text;
  text << file.rdbuf();
  const Answer answer = predict(text.str());
  ASSERT_TRUE(answer.result) << to_string(answer.result.error());
  std::istringstream in(text.str()), out(answer.out);
  std::string given, got;
  std::getline(in, given);
  std::getline(out, got);
  EXPECT_EQ(got, given + ",predicted_wavefronts,predicted_ideal");
  const bool with_ideal = given.find(",ideal,") != std::string::npos;
  std::size_t rows = 0, open = 0;
  while (std::getline(in, given)) {
    ASSERT_TRUE(std::getline(out, got));
    ++rows;
    ASSERT_EQ(got.substr(0, given.size()), given);
    const std::vector<std::string> measured = split(given), predicted = split(got.substr(given.size() + 1));
    ASSERT_EQ(predicted.size(), 2u);
    if (predicted[0] == "not modelled") {
      ++open;
      EXPECT_TRUE(given.starts_with("cp_async_ca_4,") || given.starts_with("cp_async_ca_8,")) << given;
      continue;
    }
    EXPECT_EQ(predicted[0], measured[3]) << given;
    if (with_ideal) {
      EXPECT_EQ(predicted[1], measured[4]) << given;
    }
  }
  EXPECT_FALSE(std::getline(out, got));
  EXPECT_EQ(rows, with_ideal ? 459u : 2227u);
  EXPECT_LE(open, with_ideal ? 42u : 118u) << "copies with conflicts on both sides";
}

INSTANTIATE_TEST_SUITE_P(Files, MeasuredFile, testing::Values("wavefronts.csv", "source_page.csv"),
                         [](const auto& file) {
                           return split(std::string(file.param).replace(std::string(file.param).find('.'), 1, ","))[0];
                         });

TEST(WavefrontsCsv, GlobalOffsetsOfCopiesAreRead) {
  std::ifstream file(std::string(LANEBANK_SHARED_DATA) + "/truth/h200/ca8.csv");
  std::stringstream text;
  text << file.rdbuf();
  const Answer answer = predict(text.str(), 90, true);
  ASSERT_TRUE(answer.result) << to_string(answer.result.error());
  std::istringstream out(answer.out);
  std::string line;
  std::getline(out, line);
  std::size_t rows = 0;
  for (; std::getline(out, line); ++rows) {
    const std::vector<std::string> fields = split(line);
    ASSERT_EQ(fields.size(), 11u);
    EXPECT_EQ(fields[9], fields[3]) << line;
    EXPECT_EQ(fields[10], fields[4]) << line;
  }
  EXPECT_EQ(rows, 192u);
}

TEST(WavefrontsCsv, WithoutGlobalOffsetsTheNameSaysWhereACopyReads) {
  const std::string rows = ",4,ffffffff," + addresses(4);
  const Answer answer = predict("instruction,access_bytes,active_mask,byte_addresses,global_offsets\ncp_async_ca_4" +
                                rows + ",\ncp_async_ca_4_dense" + rows + ",\nld" + rows + ",\n");
  ASSERT_TRUE(answer.result) << to_string(answer.result.error());
  EXPECT_NE(answer.out.find(",,4,1\ncp_async_ca_4_dense"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find(",,1,1\nld"), std::string::npos) << answer.out;
}

TEST(WavefrontsCsv, GlobalOffsetsThatCannotBeAreRefused) {
  const std::string start =
      "instruction,access_bytes,active_mask,byte_addresses,global_offsets\ncp_async_ca_8,8,ffffffff," + addresses(8) +
      ",";
  EXPECT_EQ(predict(start + "1 2 3\n").result.error().id, "csv.misaligned");
  EXPECT_EQ(predict(start + "8 16\n").result.error().id, "csv.global-offset-count");
  EXPECT_EQ(predict(start + "8 none\n").result.error().id, "csv.global-offset");
}

TEST(WavefrontsCsv, ColumnsMayStandInAnyOrderAmongOthers) {
  const Answer answer = predict("note,byte_addresses,active_mask,instruction,access_bytes\nmine," + addresses(128) +
                                ",0xFFFFFFFF,ld,4\n");
  ASSERT_TRUE(answer.result) << to_string(answer.result.error());
  EXPECT_NE(answer.out.find(",ld,4,32,1\n"), std::string::npos) << answer.out;
}

TEST(WavefrontsCsv, QuotedFieldsAndLineEndingsPassThrough) {
  const std::string row = "ld,4,ffffffff,\"" + addresses(8) + "\",\"a, \"\"b\"\"\nc\"";
  const Answer answer = predict("instruction,access_bytes,active_mask,byte_addresses,note\r\n" + row + "\r\n");
  ASSERT_TRUE(answer.result) << to_string(answer.result.error());
  EXPECT_EQ(answer.out,
            "instruction,access_bytes,active_mask,byte_addresses,note,predicted_wavefronts,predicted_ideal\r\n" + row +
                ",2,1\r\n");
}

TEST(WavefrontsCsv, ByteOrderMarkBlankLinesAndAMissingLastLineEndingAreFine) {
  const Answer answer = predict("\xef\xbb\xbf" + header + "\nst,16,ffffffff," + addresses(16));
  ASSERT_TRUE(answer.result) << to_string(answer.result.error());
  EXPECT_EQ(answer.out.substr(answer.out.size() - 5), ",4,4\n");
}

TEST(WavefrontsCsv, HexadecimalAddressesAreRead) {
  std::string text = "0x80";
  for (int lane = 1; lane < 32; ++lane) text += " 0X0";
  EXPECT_NE(predict(header + "ld,4,3," + text + "\n").out.find(",2,1\n"), std::string::npos);
}

TEST(WavefrontsCsv, OnlyAHeaderGivesOnlyAHeader) {
  EXPECT_EQ(predict(header).out,
            "instruction,access_bytes,active_mask,byte_addresses,predicted_wavefronts,predicted_ideal\n");
}

TEST(WavefrontsCsv, AnArchitectureWithoutTheInstructionIsNotModelled) {
  EXPECT_NE(
      predict(header + "stmatrix_x4,16,ffffffff," + addresses(16) + "\n", 80).out.find(",not modelled,not modelled\n"),
      std::string::npos);
}

struct Refusal {
  const char* name;
  std::string text, id, where;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithPlaceAndRemedy) {
  const Answer answer = predict(GetParam().text);
  ASSERT_FALSE(answer.result);
  EXPECT_EQ(answer.result.error().id, GetParam().id);
  EXPECT_EQ(answer.result.error().where, GetParam().where) << answer.result.error().what;
  EXPECT_FALSE(answer.result.error().what.empty());
  EXPECT_FALSE(answer.result.error().remedy.empty());
}

const std::string good = "ld,4,ffffffff," + addresses(4) + "\n";

INSTANTIATE_TEST_SUITE_P(
    Files, Refused,
    testing::Values(
        Refusal{"Empty", "", "csv.empty", "f.csv"}, Refusal{"NoHeader", good, "csv.no-column", "f.csv:1:1"},
        Refusal{"ColumnTwice", "instruction,access_bytes,instruction,active_mask,byte_addresses\n", "csv.column-twice",
                "f.csv:1:26"},
        Refusal{"PredictedAlready", "instruction,access_bytes,active_mask,byte_addresses,predicted_ideal\n",
                "csv.predicted-already", "f.csv:1:53"},
        Refusal{"TooFewFields", header + good + "ld,4,ffffffff\n", "csv.field-count", "f.csv:3:1"},
        Refusal{"TooManyFields", header + "ld,4,ffffffff," + addresses(4) + ",1\n", "csv.field-count", "f.csv:2:1"},
        Refusal{"UnknownInstruction", header + good + good + "ldx,4,ffffffff," + addresses(4) + "\n", "csv.instruction",
                "f.csv:4:1"},
        Refusal{"WidthOfTheInstruction", header + "ldmatrix_x4,4,ffffffff," + addresses(16) + "\n", "csv.access-bytes",
                "f.csv:2:13"},
        Refusal{"WidthThree", header + "ld,3,ffffffff," + addresses(16) + "\n", "csv.access-bytes", "f.csv:2:4"},
        Refusal{"MaskOfNineDigits", header + "ld,4,1ffffffff," + addresses(4) + "\n", "csv.active-mask", "f.csv:2:6"},
        Refusal{"MaskEmpty", header + "ld,4,," + addresses(4) + "\n", "csv.active-mask", "f.csv:2:6"},
        Refusal{"AddressNegative", header + "ld,4,ffffffff,0 -4" + addresses(4).substr(3) + "\n", "csv.address",
                "f.csv:2:17"},
        Refusal{"AddressTooLarge", header + "ld,4,ffffffff,4294967296" + addresses(4).substr(1) + "\n", "csv.address",
                "f.csv:2:15"},
        Refusal{"AddressMisaligned", header + "ld,4,ffffffff,0 2" + addresses(4).substr(3) + "\n", "csv.misaligned",
                "f.csv:2:17"},
        Refusal{"ThirtyOneAddresses", header + "ld,4,ffffffff," + addresses(4).substr(2) + "\n", "csv.address-count",
                "f.csv:2:15"},
        Refusal{"ThirtyThreeAddresses", header + "ld,4,ffffffff,0 " + addresses(0) + "\n", "csv.address-count",
                "f.csv:2:79"},
        Refusal{"QuoteNotClosed", header + "ld,4,ffffffff,\"0 4\n" + good, "csv.unclosed-quote", "f.csv:2:16"},
        Refusal{"TextAfterQuote", header + "\"ld\"x,4,ffffffff," + addresses(4) + "\n", "csv.text-after-quote",
                "f.csv:2:5"},
        Refusal{"Binary",
                std::string("\x7f"
                            "ELF\0\0",
                            6),
                "csv.nul", "f.csv:1:5"},
        Refusal{"EndlessRow", header + std::string(2 << 20, 'x'), "csv.record-too-long", "f.csv:2:1"},
        Refusal{"EndlessQuote", header + "\"" + std::string(2 << 20, '\n'), "csv.record-too-long", "f.csv:2:1"}),
    [](const auto& refusal) { return refusal.param.name; });

TEST(WavefrontsCsv, RowsBeforeTheBadOneAreWritten) {
  const Answer answer = predict(header + good + "?\n");
  EXPECT_NE(answer.out.find(",1,1\n"), std::string::npos);
}

}  // namespace
}  // namespace lanebank::checks
