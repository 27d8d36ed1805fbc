// Text from programs (names, source lines, messages) made fit for a format. Every function takes any bytes and gives
// valid UTF-8 on one line.
#pragma once

#include <string>
#include <string_view>

namespace lanebank::report {

/// Valid UTF-8 without control characters: line ends and tabs become blanks; other control characters, those that turn
/// the direction of text, what no XML may hold, and bytes that are no UTF-8 become U+FFFD.
std::string clean(std::string_view text);

/// At most `bytes` bytes of UTF-8 text, cut between characters, the end replaced by "..." where it is longer.
std::string cut(std::string text, std::size_t bytes);

/// For text and attributes of XML and HTML, in either quotes.
std::string xml(std::string_view text);

/// For a table cell or a sentence of GitHub's Markdown: nothing in it is markup, a link or a mention.
std::string markdown(std::string_view text);

/// A code span of Markdown, in as many backticks as it takes; fit for a table cell.
std::string markdown_code(std::string_view text);

/// The path of a URI: bytes other than letters, digits and -._~/ as %XX.
std::string uri_path(std::string_view path);

}  // namespace lanebank::report
