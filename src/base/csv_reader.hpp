// RFC 4180 records from a stream, each with its exact text and the position of every field.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"

namespace lanebank {

struct CsvField {
  std::string text;        ///< unquoted
  std::size_t line = 1;    ///< where the text begins, from 1
  std::size_t column = 1;  ///< in bytes, from 1
};

struct CsvRecord {
  std::size_t line = 1;  ///< where it begins, from 1
  std::vector<CsvField> fields;
  std::string text;         ///< as it stood in the file, without its line ending
  std::string line_ending;  ///< "\n", "\r\n", or "" at the end of the file
  bool blank() const { return text.empty(); }
};

class CsvReader {
 public:
  CsvReader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}

  /// The next record; false at the end. A record of more than `record_limit_bytes`, an unclosed quote, text after a
  /// closing quote or a NUL byte is a Diagnostic.
  Result<bool> next(CsvRecord& record);

  /// "name:line:column".
  std::string place(std::size_t line, std::size_t column) const;

  static constexpr std::size_t record_limit_bytes = 1 << 20;

 private:
  Result<bool> quoted(CsvRecord& record, CsvField& field);
  int take(CsvRecord& record);
  bool ends_record(CsvRecord& record, int c);

  std::istream& in_;
  std::string name_;
  std::size_t line_ = 1, column_ = 1;
};

}  // namespace lanebank
