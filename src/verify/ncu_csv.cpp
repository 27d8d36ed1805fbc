#include <algorithm>
#include <charconv>
#include <functional>
#include <istream>
#include <sstream>

#include "base/csv_reader.hpp"
#include "base/words.hpp"
#include "findings/shared_kinds.hpp"
#include "report/paint.hpp"
#include "report/wording.hpp"
#include "verify/measurement.hpp"

namespace lanebank::verify {
namespace {

constexpr unsigned oldest_architecture = 75;  // metrics that a device does not have make ncu fail

constexpr const char* how_to_export =
    "Export it with: ncu --import REPORT.ncu-rep --csv --page source --print-units base > source.csv";

struct ColumnName {
  Column column;
  std::string_view metric;
  std::string_view labels;  ///< with | between
  bool collected;
};

constexpr ColumnName column_names[] = {
#define LANEBANK_NCU_COLUMN(identifier, metric, collected, labels) {Column::identifier, metric, labels, collected},
#include "verify/columns.def"
#undef LANEBANK_NCU_COLUMN
};

constexpr std::string_view kernel_metrics[] = {
#define LANEBANK_NCU_COUNTER(identifier, metric, conflicts, operation, from) metric,
#include "verify/counters.def"
#undef LANEBANK_NCU_COUNTER
    "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.size(), text.find_first_not_of(" \t\r"));
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool is_one_of(std::string_view word, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find('|'), list.size());
    if (same_word(word, list.substr(0, end))) return true;
    list.remove_prefix(std::min(list.size(), end + 1));
  }
  return false;
}

/// A header cell is a label, a metric, or "label (metric)".
std::optional<Column> column_of(std::string_view cell) {
  cell = trimmed(cell);
  const std::size_t open = cell.rfind(" (");
  for (const ColumnName& name : column_names) {
    if (same_word(cell, name.metric) || is_one_of(cell, name.labels)) return name.column;
    if (open != cell.npos && cell.back() == ')' && cell.substr(open + 2, cell.size() - open - 3) == name.metric)
      return name.column;
  }
  return std::nullopt;
}

/// Reports have rows of it: shared memory, and the barriers of asynchronous copies.
bool may_be_predicted(std::string_view mnemonic) {
  return findings::shared_kind(mnemonic).has_value() || mnemonic.starts_with("SYNCS");
}

/// Lines of a file, of at most CsvReader::record_limit_bytes where they begin with a quote.
class Lines {
 public:
  Lines(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}

  Result<bool> next(std::string& line) {
    line.clear();
    if (in_.rdbuf()->sgetc() == end_of_file) return false;
    number_++;
    for (int c; (c = in_.rdbuf()->sbumpc()) != end_of_file;) {
      if (c == '\n') return true;
      if (line.size() < CsvReader::record_limit_bytes)
        line += static_cast<char>(c);
      else if (line.front() == '"')
        return fail("ncu.line", place(), "a row of more than 1,048,576 bytes begins here", how_to_export);
    }
    is_cut_ = true;
    return true;
  }

  std::string place() const { return name_ + ":" + std::to_string(number_); }
  bool is_cut() const { return is_cut_; }  ///< the last line has no line feed

 private:
  static constexpr int end_of_file = std::char_traits<char>::eof();
  std::istream& in_;
  std::string name_;
  std::size_t number_ = 0;
  bool is_cut_ = false;
};

/// "(32, 8, 1)"
std::optional<std::array<std::uint32_t, 3>> extent_of(std::string_view text) {
  std::array<std::uint32_t, 3> extent{};
  text = trimmed(text);
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < 3; i++) {
    text = trimmed(text);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent[i]);
    if (error != std::errc{}) return std::nullopt;
    text = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
    if (i == 2) break;
    if (text.empty() || text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
  }
  return text.empty() ? std::optional(extent) : std::nullopt;
}

class Reader {
 public:
  Reader(std::istream& in, const std::string& name) : lines_(in, name), name_(name) {}

  Result<Measurement> read() {
    std::string line;
    while (true) {
      const Result<bool> more = lines_.next(line);
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      if (line.size() > 1 && line.back() == '\r') line.pop_back();
      if (!line.empty() && line.front() == '"') {
        if (auto taken = take(line); !taken) return tl::unexpected(taken.error());
      } else {
        note(line);
      }
    }
    if (launches_.empty()) return tl::unexpected(nothing());
    return std::move(launches_);
  }

 private:
  enum class Page { none, source, raw, details };
  using Fields = std::vector<CsvField>;
  using Number = std::optional<double>;

  /// What ncu said beside its tables.
  void note(const std::string& line) {
    if (line.find("ERR_NVGPUCTRPERM") != line.npos)
      said_ = "ncu was not permitted to read the counters (ERR_NVGPUCTRPERM)";
    if (line.find("No kernels were profiled") != line.npos) said_ = "ncu profiled no kernel";
  }

  Diagnostic nothing() const {
    return {"ncu.no-table", name_,
            said_.empty() ? "holds no launch of Nsight Compute's source, raw or details page" : said_, how_to_export,
            Severity::error};
  }

  Result<void> take(const std::string& line) {
    std::istringstream text(line);
    CsvReader reader(text, name_);
    CsvRecord record;
    const Result<bool> parsed = reader.next(record);
    if (!parsed) {
      if (page_ == Page::none) return {};  // something that the program printed
      return damaged(parsed.error().what);
    }
    const Fields& fields = record.fields;
    if (is_title(fields)) {
      page_ = Page::none;
      kernel_ = fields[1].text;
      return {};
    }
    if (is_header(fields)) return header(fields);
    switch (page_) {
      case Page::none:
        return {};
      case Page::source:
        return whole(fields).and_then([&] { return source_row(fields, line); });
      case Page::raw:
      case Page::details:
        if (trimmed(fields[0].text).empty()) return {};  // units
        return whole(fields).and_then([&] { return page_ == Page::raw ? raw_row(fields) : details_row(fields); });
    }
    return {};
  }

  /// "Kernel Name","tr"
  static bool is_title(const Fields& fields) {
    return (fields.size() == 2 || (fields.size() == 3 && fields[2].text.empty())) &&
           (fields[0].text == "Kernel Name" || fields[0].text == "Function Name");
  }

  static bool has(const Fields& fields, std::string_view name) {
    return std::any_of(fields.begin(), fields.end(), [&](const CsvField& field) { return field.text == name; });
  }

  static bool is_header(const Fields& fields) {
    return has(fields, "Address") || has(fields, "Line No") || (has(fields, "ID") && has(fields, "Kernel Name"));
  }

  Result<void> header(const Fields& fields) {
    names_.clear();
    columns_.fill(missing);
    for (std::size_t i = 0; i < fields.size(); i++) {
      names_.push_back(fields[i].text);
      const auto column = column_of(fields[i].text);
      if (column && columns_[index(*column)] == missing) columns_[index(*column)] = i;
    }
    if (has(fields, "ID")) {
      page_ = has(fields, "Metric Name") && has(fields, "Metric Value") ? Page::details : Page::raw;
      return {};
    }
    if (has(fields, "Line No"))
      return fail("ncu.view", lines_.place(), "this is the view of source lines; rows of machine code are needed",
                  "Export it again with --print-source sass.");
    if (columns_[index(Column::wavefronts)] == missing || columns_[index(Column::ideal)] == missing)
      return unknown_columns();
    page_ = Page::source;
    launches_.push_back({});
    launches_.back().kernel = kernel_;
    launches_.back().has_rows = true;
    return {};
  }

  tl::unexpected<Diagnostic> unknown_columns() const {
    std::string known;
    for (std::size_t i = 0; i < std::min<std::size_t>(names_.size(), 12); i++)
      known += (i ? ", " : "") + report::printable(names_[i]);
    return fail("ncu.columns", lines_.place(),
                "no columns 'L1 Wavefronts Shared' and 'L1 Wavefronts Shared Ideal'; there are: " + known +
                    (names_.size() > 12 ? ", ..." : ""),
                "Profile with --section SourceCounters --metrics " + metrics_to_collect() + ".");
  }

  tl::unexpected<Diagnostic> damaged(const std::string& what) const {
    if (lines_.is_cut())
      return fail("ncu.truncated", lines_.place(), "the file ends within a row",
                  "It is cut off: copy or export it again.");
    return fail("ncu.damaged", lines_.place(), what, "Export the page to a file of its own, with nothing else in it.");
  }

  Result<void> whole(const Fields& fields) const {
    if (fields.size() == names_.size()) return {};
    return damaged("a row of " + counted(fields.size(), "cell", "cells") + " where the header has " +
                   grouped(names_.size()));
  }

  std::string_view cell(const Fields& fields, Column column) const {
    const std::size_t at = columns_[index(column)];
    return at == missing ? std::string_view() : trimmed(fields[at].text);
  }

  std::string_view cell(const Fields& fields, std::string_view name) const {
    const auto at = std::find(names_.begin(), names_.end(), name);
    return at == names_.end() ? std::string_view()
                              : trimmed(fields[static_cast<std::size_t>(at - names_.begin())].text);
  }

  /// "1,048,576", "32768.00", "38 (0; 4; 34)" with its instances; nothing: n/a. An empty cell and "-" are 0.
  Result<Number> number(std::string_view text, std::string_view what) const {
    if (text.empty() || text == "-") return Number(0.0);
    if (text == "n/a" || text == "N/A" || text == "nan") return Number();
    const std::string_view first = trimmed(text.substr(0, text.find('(')));
    std::string digits;
    for (const char c : first)
      if (c != ',') digits += c;
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole_text = !digits.empty() && error == std::errc{} && end == digits.data() + digits.size();
    constexpr double largest = 9007199254740992.0;  // 2^53: above it, neighbours are not told apart
    if (!whole_text || !(value >= 0 && value <= largest))
      return fail("ncu.number", lines_.place(),
                  "'" + report::printable(text.substr(0, 40)) + "' in column " + std::string(what) + " is no count",
                  "Export it with --print-units base.");
    return Number(value);
  }

  Result<std::optional<std::uint64_t>> count(const Fields& fields, Column column) const {
    const std::size_t at = columns_[index(column)];
    using Count = std::optional<std::uint64_t>;
    if (at == missing) return Count();
    return number(trimmed(fields[at].text), names_[at]).map([](const Number& value) {
      return value ? Count(static_cast<std::uint64_t>(*value)) : Count();
    });
  }

  Result<std::uint64_t> address(std::string_view text) const {
    const bool is_hex = text.starts_with("0x");
    if (is_hex) text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, is_hex ? 16 : 10);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size())
      return fail("ncu.number", lines_.place(), "'" + report::printable(text.substr(0, 40)) + "' is no address",
                  how_to_export);
    return value;
  }

  Result<void> source_row(const Fields& fields, const std::string& line) {
    MeasuredLaunch& launch = launches_.back();
    launch.text_hash = launch.text_hash * 31 + std::hash<std::string>()(line);
    if (const auto samples = count(fields, Column::samples)) launch.samples += samples->value_or(0);
    const Result<std::uint64_t> at = address(cell(fields, Column::address));
    if (!at) return tl::unexpected(at.error());
    if (launch.instructions++ == 0) first_address_ = *at;
    MeasuredRow row;
    row.address_bytes = *at - first_address_;
    row.sass = cell(fields, Column::sass);
    for (const auto& [column, value] :
         {std::pair(Column::executed, &row.executed), std::pair(Column::threads, &row.threads),
          std::pair(Column::wavefronts, &row.wavefronts), std::pair(Column::ideal, &row.ideal)}) {
      const auto read = count(fields, column);
      if (!read) return tl::unexpected(read.error());
      *value = *read;
    }
    if (const std::string_view text = cell(fields, Column::nway); !text.empty())
      if (const auto value = number(text, "N-Way")) row.nway = *value;
    const bool counts = row.wavefronts.value_or(0) > 0 || row.ideal.value_or(0) > 0;
    if (!counts && !may_be_predicted(report::mnemonic_of(row.sass))) return {};
    if (++kept_ > most_rows)
      return fail("ncu.rows", lines_.place(), "more than " + grouped(most_rows) + " rows of shared memory",
                  "Profile fewer launches (-c).");
    launch.rows.push_back(std::move(row));
    return {};
  }

  void describe(MeasuredLaunch& launch, const Fields& fields) const {
    launch.kernel = cell(fields, "Kernel Name");
    launch.grid = extent_of(cell(fields, "Grid Size"));
    launch.block = extent_of(cell(fields, "Block Size"));
    launch.capability = cell(fields, "CC");
  }

  Result<void> add_counter(MeasuredLaunch& launch, std::string_view metric, std::string_view text) const {
    if (std::find(std::begin(kernel_metrics), std::end(kernel_metrics), metric) == std::end(kernel_metrics)) return {};
    if (text.empty()) return {};
    const auto value = number(text, metric);
    if (!value) return tl::unexpected(value.error());
    if (*value) launch.counters[std::string(metric)] = **value;
    return {};
  }

  Result<void> raw_row(const Fields& fields) {
    if (auto room = one_more(); !room) return room;
    MeasuredLaunch launch;
    describe(launch, fields);
    for (std::size_t i = 0; i < fields.size(); i++)
      if (auto added = add_counter(launch, trimmed(names_[i]), trimmed(fields[i].text)); !added) return added;
    launches_.push_back(std::move(launch));
    return {};
  }

  Result<void> details_row(const Fields& fields) {
    const std::string id(cell(fields, "ID"));
    if (launches_.empty() || launches_.back().has_rows || id != id_) {
      if (auto room = one_more(); !room) return room;
      launches_.push_back({});
      describe(launches_.back(), fields);
      id_ = id;
    }
    return add_counter(launches_.back(), cell(fields, "Metric Name"), cell(fields, "Metric Value"));
  }

  Result<void> one_more() {
    if (++kept_ <= most_rows) return {};
    return fail("ncu.rows", lines_.place(), "more than " + grouped(most_rows) + " rows",
                "Profile fewer launches (-c).");
  }

  static std::size_t index(Column column) { return static_cast<std::size_t>(column); }

  static constexpr std::size_t missing = ~std::size_t{0};
  Lines lines_;
  std::string name_;
  Page page_ = Page::none;
  std::string kernel_, said_, id_;
  std::vector<std::string> names_;                              ///< of the table's header
  std::array<std::size_t, std::size(column_names)> columns_{};  ///< position by Column
  std::uint64_t first_address_ = 0;
  std::size_t kept_ = 0;
  Measurement launches_;
};

}  // namespace

Result<Measurement> read_ncu_csv(std::istream& in, const std::string& name) { return Reader(in, name).read(); }

Doubles doubles_in(const Measurement& launches) {
  constexpr std::uint64_t enough_samples = 16;
  std::uint64_t samples = 0;
  if (launches.empty() || launches.size() % 2 != 0) return Doubles::none;
  for (std::size_t i = 0; i < launches.size(); i += 2) {
    if (!launches[i].has_rows || !(launches[i] == launches[i + 1])) return Doubles::none;
    samples += launches[i].samples;
  }
  return samples >= enough_samples ? Doubles::certain : Doubles::possible;
}

Measurement without_doubles(const Measurement& launches) {
  Measurement once;
  for (std::size_t i = 0; i < launches.size(); i += 2) once.push_back(launches[i]);
  return once;
}

Result<Measurement> joined(Measurement a, Measurement b) {
  const auto has_rows = [](const Measurement& launches) {
    return std::any_of(launches.begin(), launches.end(), [](const MeasuredLaunch& launch) { return launch.has_rows; });
  };
  if (has_rows(b) && !has_rows(a)) std::swap(a, b);
  if (has_rows(b))
    return fail("ncu.pages", "", "two source pages of one program cannot be joined",
                "Give one file with rows, and one of the raw page.");
  if (a.size() == 2 * b.size() && doubles_in(a) != Doubles::none) a = without_doubles(a);
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); i++) same = same_kernel(a[i].kernel, b[i].kernel);
  if (!same)
    return fail("ncu.pages", "",
                "the files hold different launches: " + grouped(a.size()) + " and " + grouped(b.size()),
                "Export both pages from one report.");
  for (std::size_t i = 0; i < a.size(); i++) {
    if (!a[i].grid) a[i].grid = b[i].grid;
    if (!a[i].block) a[i].block = b[i].block;
    if (a[i].capability.empty()) a[i].capability = b[i].capability;
    a[i].counters.insert(b[i].counters.begin(), b[i].counters.end());
  }
  return a;
}

std::string without_casts(std::string_view kernel) {
  std::string text;
  int depth = 0;
  for (std::size_t i = 0; i < kernel.size(); i++) {
    const char c = kernel[i];
    if (c == '<') depth++;
    if (c == '>') depth--;
    const bool begins_argument = !text.empty() && (text.back() == '<' || text.ends_with(", "));
    const std::size_t end = kernel.find(')', i);
    if (depth > 0 && c == '(' && begins_argument && end != kernel.npos)
      i = end;
    else
      text += c;
  }
  return text;
}

bool same_kernel(const std::string& a, const std::string& b) {
  return without_casts(a) == without_casts(b) || kernel_base_name(a) == kernel_base_name(b);
}

std::string metrics_to_collect() {
  std::string list;
  for (const ColumnName& name : column_names)
    if (name.collected) list += (list.empty() ? "" : ",") + std::string(name.metric);
#define LANEBANK_NCU_COUNTER(identifier, metric, conflicts, operation, from) \
  if ((from) <= oldest_architecture) list += "," metric;
#include "verify/counters.def"
#undef LANEBANK_NCU_COUNTER
  return list;
}

}  // namespace lanebank::verify
