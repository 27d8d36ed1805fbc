// Parts of the text: tables, wrapping, emphasis.
#pragma once

#include <string>

#include "picture/terminal.hpp"
#include "show/show.hpp"

namespace lanebank::show {

/// Emphasis on a terminal with colours; else nothing.
class Ink {
 public:
  explicit Ink(bool on) : on_(on) {}
  std::string bold(const std::string& text) const { return wrap("1", text); }
  std::string dim(const std::string& text) const { return wrap("2", text); }
  std::string red(const std::string& text) const { return wrap("31", text); }
  std::string green(const std::string& text) const { return wrap("32", text); }

 private:
  std::string wrap(const char* code, const std::string& text) const {
    return on_ ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
  }
  bool on_;
};

/// `text` broken between words into lines of at most `width` columns, `indent` blanks before each.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);

/// The same, the first line after `head` (drawn as `drawn_head`, if that is not empty), the others indented as far.
std::string wrapped_after(const std::string& head, const std::string& text, std::size_t width,
                          const std::string& drawn_head);

/// Control characters and what is not ASCII replaced by "?".
std::string printable(const std::string& text);

/// "32x8".
std::string block_text(const Block& block);

/// Lane, byte and bank: the first lanes and the last in one row, or all; banks on their colours.
std::string lane_table(const Access& access, bool all, const picture::TerminalOptions& options);

/// The address bits with the bank field, and which vary between the lanes of the phase; "-": inside of what a lane moves.
std::string bit_table(const Phase& phase);

/// The words of the phase's worst bank and their lanes, at most `limit` of them.
std::string meeting_text(const Phase& phase, unsigned limit, unsigned width);

/// What a layout does to each standard access.
std::string layout_table(const Answer& answer, const ArrayAnswer& array);

}  // namespace lanebank::show
