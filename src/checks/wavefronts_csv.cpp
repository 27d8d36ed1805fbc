#include "checks/wavefronts_csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <istream>
#include <optional>
#include <ostream>
#include <string_view>

#include "base/csv_reader.hpp"
#include "lanebank/bank_model.hpp"

namespace lanebank::checks {
namespace {

struct AccessName {
  std::string_view name;
  AccessKind kind;
  unsigned lane_bytes, matrices, source_stride;
};

constexpr AccessName access_names[] = {
#define LANEBANK_ACCESS_NAME(name, kind, lane_bytes, matrices, source_stride) \
  {#name, AccessKind::kind, lane_bytes, matrices, source_stride},
#include "lanebank/access_names.def"
};

enum Column {
  instruction,
  access_bytes,
  active_mask,
  byte_addresses,
  needed_columns,
  global_offsets = needed_columns,
  column_count
};
constexpr std::array<std::string_view, column_count> column_names = {"instruction", "access_bytes", "active_mask",
                                                                     "byte_addresses", "global_offsets"};
constexpr std::string_view predicted_wavefronts = "predicted_wavefronts", predicted_ideal = "predicted_ideal";

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// A field's text as messages show it: short, and printable.
std::string shown(std::string_view text) {
  std::string result = "'";
  for (const char c : text.substr(0, 40)) result += c >= ' ' && c < 127 ? c : '?';
  return result + (text.size() > 40 ? "..'" : "'");
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// A whole number of 32 bits; base 10, or 16 after 0x.
bool parse_number(std::string_view text, int base, std::uint32_t& value) {
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Whether a copy of cp.async.ca conflicts both where it reads and where it writes. The hardware overlaps such conflicts
/// in a way that is not known, and mostly better than the source page says.
bool conflicts_on_both_sides(const Access& access, unsigned sm) {
  if (access.kind != AccessKind::async_copy_ca || access.lane_bytes == 16 || access.source != SourceOrder::given)
    return false;
  Access reads = access, writes = access;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) reads.addresses[lane] = lane * access.lane_bytes;
  writes.source = SourceOrder::consecutive;
  auto conflicts = [sm](const Access& side) {
    const Cost result = cost(side, sm);
    return result.wavefronts > result.group_count;
  };
  return conflicts(reads) && conflicts(writes);
}

class Predictor {
 public:
  Predictor(std::istream& in, std::ostream& out, const WavefrontsCsvOptions& options)
      : reader_(in, options.name), out_(out), options_(options) {}

  Result<void> run() {
    CsvRecord record;
    Result<bool> more = reader_.next(record);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return fail("csv.empty", options_.name, "the file is empty", header_remedy());
    if (Result<void> header = read_header(record); !header) return header;
    out_ << record.text << ',' << predicted_wavefronts << ',' << predicted_ideal << ending(record);
    while (true) {
      more = reader_.next(record);
      if (!more) return tl::unexpected(more.error());
      if (!*more) return {};
      if (record.blank()) {
        out_ << record.line_ending;
        continue;
      }
      const Result<Access> access = read_row(record);
      if (!access) return tl::unexpected(access.error());
      write_row(record, access_figures(*access, options_.architecture, options_.source_page));
    }
  }

 private:
  static std::string header_remedy() {
    return "The first line must name the columns instruction,access_bytes,active_mask,byte_addresses (others may be "
           "there too).";
  }
  /// A last line without a line ending gets one, so that the output is a text file.
  static std::string ending(const CsvRecord& record) { return record.line_ending.empty() ? "\n" : record.line_ending; }

  std::string place(const CsvField& field, std::size_t offset = 0) const {
    return reader_.place(field.line, field.column + offset);
  }

  Result<void> read_header(const CsvRecord& record) {
    field_count_ = record.fields.size();
    position_.fill(field_count_);
    for (std::size_t i = 0; i < field_count_; ++i) {
      const CsvField& field = record.fields[i];
      std::string_view name = field.text;
      if (i == 0 && name.starts_with(byte_order_mark)) name.remove_prefix(byte_order_mark.size());
      name = trimmed(name);
      if (name == predicted_wavefronts || name == predicted_ideal)
        return fail("csv.predicted-already", place(field), "the column " + std::string(name) + " is there already",
                    "Give the file without its predicted columns.");
      const auto at = std::find(column_names.begin(), column_names.end(), name) - column_names.begin();
      if (at == column_count) continue;
      if (position_[at] != field_count_)
        return fail("csv.column-twice", place(field), "a second column " + std::string(name), header_remedy());
      position_[at] = i;
    }
    for (std::size_t i = 0; i < needed_columns; ++i)
      if (position_[i] == field_count_)
        return fail("csv.no-column", reader_.place(1, 1), "no column " + std::string(column_names[i]), header_remedy());
    return {};
  }

  Result<Access> read_row(const CsvRecord& record) const {
    if (record.fields.size() != field_count_)
      return fail("csv.field-count", reader_.place(record.line, 1),
                  "a row of " + std::to_string(record.fields.size()) + " fields; the header has " +
                      std::to_string(field_count_),
                  "Give every row all columns; fields with commas need quotes.");
    Access access;
    if (Result<void> named = read_instruction(record, access); !named) return tl::unexpected(named.error());
    const CsvField& mask = record.fields[position_[active_mask]];
    if (!parse_number(trimmed(mask.text), 16, access.active_lanes))
      return fail("csv.active-mask", place(mask), "active_mask is " + shown(mask.text) + ", not 32 bits in hexadecimal",
                  "ffffffff means all 32 lanes; bit i is lane i.");
    const std::uint32_t used = access.active_lanes & addressing_lanes(access.kind, access.matrices);
    const CsvField& addresses = record.fields[position_[byte_addresses]];
    if (Result<void> lanes = read_lanes(addresses, byte_addresses, used, access.lane_bytes, access.addresses); !lanes)
      return tl::unexpected(lanes.error());
    if (Result<void> sources = read_sources(record, access); !sources) return tl::unexpected(sources.error());
    return access;
  }

  Result<void> read_instruction(const CsvRecord& record, Access& access) const {
    const CsvField& name = record.fields[position_[instruction]];
    const AccessName* known = std::find_if(std::begin(access_names), std::end(access_names),
                                           [&](const AccessName& row) { return row.name == trimmed(name.text); });
    if (known == std::end(access_names)) {
      std::string all;
      for (const AccessName& row : access_names) all += (all.empty() ? "" : ", ") + std::string(row.name);
      return fail("csv.instruction", place(name), "unknown instruction " + shown(name.text), "Known: " + all + ".");
    }
    access.kind = known->kind;
    access.matrices = known->matrices == 0 ? access.matrices : known->matrices;
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane) access.sources[lane] = lane * known->source_stride;
    access.source = known->source_stride == 0 ? SourceOrder::unknown : SourceOrder::given;
    const CsvField& bytes = record.fields[position_[access_bytes]];
    std::uint32_t value = 0;
    const bool number = parse_number(trimmed(bytes.text), 10, value);
    const bool fits = known->lane_bytes == 0 ? value == 1 || value == 2 || value == 4 || value == 8 || value == 16
                                             : value == known->lane_bytes;
    if (!number || !fits)
      return fail("csv.access-bytes", place(bytes),
                  "access_bytes is " + shown(bytes.text) + "; " + std::string(known->name) + " moves " +
                      (known->lane_bytes == 0 ? "1, 2, 4, 8 or 16" : std::to_string(known->lane_bytes)) +
                      " bytes per lane",
                  "Correct the column, or the instruction's name.");
    access.lane_bytes = value;
    return {};
  }

  /// Column global_offsets of an asynchronous copy; empty, or of another instruction, it says nothing.
  Result<void> read_sources(const CsvRecord& record, Access& access) const {
    if (position_[global_offsets] == field_count_ || access.source == SourceOrder::unknown) return {};
    const CsvField& field = record.fields[position_[global_offsets]];
    if (trimmed(field.text).empty()) return {};
    return read_lanes(field, global_offsets, access.active_lanes, access.lane_bytes, access.sources);
  }

  /// 32 numbers, one per lane; those of the lanes in `used` must be multiples of the access.
  Result<void> read_lanes(const CsvField& field, Column column, std::uint32_t used, unsigned lane_bytes,
                          std::uint32_t* values) const {
    const bool global = column == global_offsets;
    const std::string what = global ? "global offset" : "address", all = global ? "global offsets" : "byte addresses";
    const std::string id = global ? "csv.global-offset" : "csv.address";
    const std::string_view text = field.text;
    unsigned lane = 0;
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] == ' ' || text[at] == '\t') {
        ++at;
        continue;
      }
      const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
      const std::string_view number = text.substr(at, end - at);
      if (lane == lanes_per_warp)
        return fail(id + "-count", place(field, at), "more than 32 " + all, "Give one per lane, lane 0 first.");
      std::uint32_t& value = values[lane];
      if (!parse_number(number, 10, value))
        return fail(id, place(field, at),
                    "the " + what + " of lane " + std::to_string(lane) + " is " + shown(number) +
                        ", not a whole number below 2^32",
                    global ? "Give bytes from a 128-byte line of global memory, decimal or 0x and hexadecimal."
                           : "Give byte addresses inside the block's shared memory, decimal or 0x and hexadecimal.");
      if ((used >> lane & 1) != 0 && value % lane_bytes != 0)
        return fail("csv.misaligned", place(field, at),
                    "the " + what + " of lane " + std::to_string(lane) + ", " + std::string(number) +
                        ", is not a multiple of " + std::to_string(lane_bytes) + " bytes: the hardware would fault",
                    "Correct the " + what + ", or access_bytes.");
      ++lane;
      at = end;
    }
    if (lane != lanes_per_warp)
      return fail(id + "-count", place(field), std::to_string(lane) + " " + all + ", not 32",
                  "Give one per lane, lane 0 first; those of inactive lanes may be anything.");
    return {};
  }

  void write_row(const CsvRecord& record, const AccessFigures& figures) {
    out_ << record.text;
    for (const std::optional<unsigned>& figure : {figures.wavefronts, figures.ideal}) {
      if (figure)
        out_ << ',' << *figure;
      else
        out_ << ",not modelled";
    }
    out_ << ending(record);
  }

  CsvReader reader_;
  std::ostream& out_;
  const WavefrontsCsvOptions& options_;
  std::size_t field_count_ = 0;
  std::array<std::size_t, column_count> position_{};
};

}  // namespace

AccessFigures access_figures(const Access& access, unsigned architecture, bool source_page) {
  const Cost predicted = cost(access, architecture);
  AccessFigures result;
  if (predicted.modelled) result = {predicted.wavefronts, predicted.ideal};
  if (source_page) return result;
  if (conflicts_on_both_sides(access, architecture)) return {};
  const bool has_rule = access_rule(architecture, access.kind, access.lane_bytes).counting != Counting::unknown;
  if (access.kind == AccessKind::load && access.lane_bytes >= 8 && has_rule)
    result.wavefronts = hardware_load_wavefronts(access);
  return result;
}

Result<void> predict_wavefronts(std::istream& in, std::ostream& out, const WavefrontsCsvOptions& options) {
  return Predictor(in, out, options).run();
}

}  // namespace lanebank::checks
