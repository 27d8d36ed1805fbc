#include "base/csv_reader.hpp"

#include <istream>

namespace lanebank {
namespace {

constexpr int end_of_file = std::char_traits<char>::eof();

}  // namespace

std::string CsvReader::place(std::size_t line, std::size_t column) const {
  return name_ + ":" + std::to_string(line) + ":" + std::to_string(column);
}

int CsvReader::take(CsvRecord& record) {
  const int c = in_.rdbuf()->sbumpc();
  if (c == end_of_file) return c;
  record.text += static_cast<char>(c);
  ++column_;
  if (c == '\n') ++line_, column_ = 1;
  return c;
}

/// Takes a line ending off the record's text; true at the end of the record.
bool CsvReader::ends_record(CsvRecord& record, int c) {
  if (c == end_of_file) return true;
  if (c == '\n') {
    record.line_ending = "\n";
    record.text.pop_back();
    return true;
  }
  if (c == '\r' && in_.rdbuf()->sgetc() == '\n') {
    take(record);
    record.line_ending = "\r\n";
    record.text.resize(record.text.size() - 2);
    return true;
  }
  return false;
}

/// After the opening quote: the field's text up to the closing one.
Result<bool> CsvReader::quoted(CsvRecord& record, CsvField& field) {
  field.line = line_;
  field.column = column_;
  while (true) {
    const int c = take(record);
    if (c == end_of_file)
      return fail("csv.unclosed-quote", place(field.line, field.column), "this quoted field is not closed",
                  "End it with a quote; a quote inside a quoted field is written twice.");
    if (record.text.size() > record_limit_bytes) return true;  // said by the caller
    if (c == '"') {
      if (in_.rdbuf()->sgetc() != '"') return true;
      take(record);
    }
    field.text += static_cast<char>(c);
  }
}

Result<bool> CsvReader::next(CsvRecord& record) {
  record = CsvRecord{};
  if (in_.rdbuf()->sgetc() == end_of_file) return false;
  record.line = line_;
  record.fields.push_back({"", line_, column_});
  bool after_quote = false;
  while (record.text.size() <= record_limit_bytes) {
    const std::size_t line = line_, column = column_;
    const int c = take(record);
    if (ends_record(record, c)) return true;
    CsvField& field = record.fields.back();
    if (c == 0)
      return fail("csv.nul", place(line, column), "a NUL byte: this is not a text file", "Give a CSV file in UTF-8.");
    if (c == ',') {
      record.fields.push_back({"", line_, column_});
      after_quote = false;
    } else if (after_quote) {
      return fail("csv.text-after-quote", place(line, column), "text after the closing quote of a field",
                  "A quote inside a quoted field is written twice.");
    } else if (c == '"' && field.text.empty()) {
      if (const Result<bool> closed = quoted(record, field); !closed) return tl::unexpected(closed.error());
      after_quote = true;
    } else {
      field.text += static_cast<char>(c);
    }
  }
  return fail("csv.record-too-long", place(record.line, 1),
              "a row of more than " + std::to_string(record_limit_bytes) + " bytes begins here",
              "Is this file CSV, or is a quote not closed?");
}

}  // namespace lanebank
