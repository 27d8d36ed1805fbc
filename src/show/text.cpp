#include "show/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/words.hpp"
#include "picture/words.hpp"
#include "show/pictures.hpp"
#include "show/text_parts.hpp"

namespace lanebank::show {
namespace {

using picture::counted;

class TextWriter {
 public:
  TextWriter(const Answer& answer, const TextOptions& options)
      : answer_(answer), options_(options), ink_(options.colours != picture::Colours::none) {}

  std::string run() {
    if (options_.brief) return brief();
    if (answer_.of_layout) {
      for (const ArrayAnswer& array : answer_.arrays) layout(array);
      return std::move(text_);
    }
    for (const ArrayAnswer& array : answer_.arrays) {
      for (const std::size_t index : array.accesses) access(answer_.accesses[index], array);
      cures(array);
    }
    for (const std::string& note : answer_.notes) text_ += wrapped("note: " + note, 2, options_.width);
    return std::move(text_);
  }

 private:
  bool single() const { return answer_.accesses.size() == 1; }

  picture::TerminalOptions drawing(unsigned max_rows) const {
    return {options_.colours, options_.dark, options_.width, max_rows, 2};
  }

  void draw(const picture::Grid& grid, unsigned max_rows) {
    text_ += "\n" + picture::draw_text(grid, drawing(max_rows));
    text_ += wrapped(ink_.dim(picture::legend_text(grid)), 2, options_.width);
  }

  std::string brief() const {
    std::string text;
    for (const AccessAnswer& access : answer_.accesses) {
      const ArrayAnswer& array = answer_.array_of(access);
      const Figures& figures = answer_.shown_figures(access);
      text += access.accesses.name + ": ";
      if (access.given && !access.given->served) {
        text += access.given->why + "\n";
        continue;
      }
      if (!figures.modelled) {
        text += "not modelled: " + figures.why + "\n";
        continue;
      }
      text += fmt::format("{}, ideal {}, worst degree {}", counted(figures.wavefronts, "wavefront"),
                          grouped(figures.ideal), figures.worst_degree);
      if (figures.wavefronts > figures.ideal && !array.cures.empty() && !cured(array))
        text += "; cure: " + array.cures.front().text;
      text += "\n";
    }
    return text;
  }

  /// "32 warps x 8 turns", or nothing for one instruction.
  std::string instances_text(const Accesses& accesses) const {
    const std::size_t count = accesses.instances.size();
    if (count == 1 && accesses.repeat == 1) return "";
    std::string text = counted(count, "instruction");
    const std::uint64_t turns = answer_.scope.turns();
    if (turns == 1 && !accesses.instances.empty() && answer_.block.warps() == count) text = counted(count, "warp");
    if (turns > 1 && count % turns == 0) text = counted(count / turns, "warp") + " x " + counted(turns, "turn");
    if (accesses.repeat > 1) text += ", " + grouped(accesses.repeat) + " times";
    return text;
  }

  void headline(const AccessAnswer& access, const ArrayAnswer& array, const Figures& figures,
                const std::string& layout) {
    const Accesses& accesses = access.accesses;
    std::string facts = instruction_text(accesses) + ", " + array.array.text();
    if (!array.array.given) facts += " (assumed)";
    if (array.array.bytes() != 0) facts += fmt::format(" ({} bytes)", grouped(array.array.bytes()));
    if (array.array.base_bytes != 0) facts += fmt::format(" at byte {}", grouped(array.array.base_bytes));
    if (answer_.block.threads() != 32 || !answer_.block_guessed) facts += ", block " + block_text(answer_.block);
    if (!answer_.turns.empty()) facts += ", " + answer_.turns;
    std::string title = accesses.name;
    if (accesses.name != accesses.text) title += ": " + accesses.text;
    text_ += ink_.bold(printable(title)) + "\n";
    text_ += wrapped(facts, 2, options_.width);
    if (!layout.empty()) text_ += wrapped(layout, 2, options_.width);
    if (!figures.modelled) {
      text_ += wrapped("not modelled: " + figures.why, 2, options_.width);
      return;
    }
    const bool clean = figures.worst_wavefronts == figures.worst_ideal;
    std::string cost = fmt::format("{}, ideal {}", counted(figures.worst_wavefronts, "wavefront"), figures.worst_ideal);
    const bool copy = accesses.instruction->kind == AccessKind::async_copy_cg;
    if (!clean && !copy && figures.worst_degree > 1) cost += fmt::format(", degree {}", figures.worst_degree);
    cost = clean ? ink_.green(cost) : ink_.red(cost);
    if (const std::string many = instances_text(accesses); !many.empty()) {
      const WarpPlaces& worst = accesses.instances[figures.worst];
      if (!figures.uniform) cost += " at worst (" + place_text(worst) + ")";
      cost += fmt::format("; {}: {}, ideal {}", many, grouped(figures.wavefronts), grouped(figures.ideal));
    }
    text_ += "  " + cost + "\n";
  }

  std::string place_text(const WarpPlaces& places) const {
    std::string text = fmt::format("warp {}", places.warp);
    if (const std::string turn = answer_.scope.turn_text(places.turn); !turn.empty()) text += ", " + turn;
    return text;
  }

  void access(const AccessAnswer& access, const ArrayAnswer& array) {
    if (!text_.empty()) text_ += "\n";
    const bool given = access.given.has_value();
    if (given && !access.given->served) {
      headline(access, array, access.written, "as written:");
      text_ += wrapped(ink_.red("under " + array.given->text + ": " + access.given->why), 2, options_.width);
    } else if (given && options_.compare) {
      headline(access, array, access.written, "before, as written:");
      body(access, array, array.written, access.written);
      text_ += "\n";
      headline(access, array, *access.given, "after, " + array.given->text + ":");
    } else {
      const bool before = options_.compare && !array.cures.empty();
      headline(access, array, answer_.shown_figures(access),
               given    ? array.given->text
               : before ? "before, as written:"
                        : "");
    }
    body(access, array, answer_.shown_arrangement(access), answer_.shown_figures(access));
    if (options_.compare && !given && !array.cures.empty()) after(access, array);
  }

  /// The access under the best cure.
  void after(const AccessAnswer& access, const ArrayAnswer& array) {
    const Cure& cure = array.cures.front();
    for (std::size_t i = 0; i < array.accesses.size(); ++i) {
      if (&answer_.accesses[array.accesses[i]] != &access) continue;
      text_ += "\n";
      headline(access, array, cure.figures[i], "after, " + cure.text + ":");
      body(access, array, cure.arrangement, cure.figures[i]);
    }
  }

  void body(const AccessAnswer& access, const ArrayAnswer& array, const Arrangement& arrangement,
            const Figures& figures) {
    if (!figures.modelled || !figures.served) return;
    const Analysis analysis = worst_of(access, array, arrangement, figures, answer_.architecture);
    const bool full = single() || options_.lanes || options_.phases;
    if (full) text_ += "\n" + lane_table(analysis.access, options_.lanes, drawing(0));
    const bool copy = analysis.access.kind == AccessKind::async_copy_cg;  // which no bank decides
    if (const Phase* phase = copy ? nullptr : analysis.worst_phase()) {
      if (full) text_ += "\n" + bit_table(*phase);
      text_ += wrapped(bits_text(*phase), 2, options_.width);
    }
    if (!figures.uniform && single())
      text_ += "  (" + place_text(access.accesses.instances[figures.worst]) + ", the worst)\n";
    text_ += wrapped(ink_.bold("why:") + " " + why_text(analysis), 2, options_.width);
    if (full && !options_.phases && analysis.worst_phase() != nullptr) {
      const Phase& phase = *analysis.worst_phase();
      if (phase.group.degree > 1) text_ += meeting_text(phase, 3, options_.width);
    }
    pictures(access, array, arrangement, analysis);
  }

  void pictures(const AccessAnswer& access, const ArrayAnswer& array, const Arrangement& arrangement,
                const Analysis& analysis) {
    if (analysis.phases.empty() || options_.pictures == Pictures::none) return;
    if (options_.pictures == Pictures::fitting && !single() && !options_.phases) return;
    const bool two_dimensions = array.array.sizes.size() > 1;
    bool tile = options_.pictures == Pictures::tile || options_.pictures == Pictures::both;
    bool banks = options_.pictures == Pictures::banks || options_.pictures == Pictures::both;
    if (options_.pictures == Pictures::fitting) {
      tile = two_dimensions && !options_.compare && &arrangement == &array.written;  // a layout shows in the banks
      banks = !tile;
    }
    for (std::size_t phase = 0; phase < analysis.phases.size(); ++phase) {
      if (!options_.phases && phase != analysis.worst) continue;
      const unsigned rows = options_.phases || options_.pictures != Pictures::fitting ? 0 : 7;
      if (tile) draw(tile_phase(analysis, phase, access.accesses, arrangement, array.array.base_bytes), rows);
      if (banks) draw(bank_phase(analysis, phase), rows);
      if (options_.phases && analysis.phases[phase].group.degree > 1)
        text_ += meeting_text(analysis.phases[phase], 32, options_.width);
    }
  }

  /// Is the given layout as good as the best that was found?
  bool cured(const ArrayAnswer& array) const {
    std::uint64_t wavefronts = 0, ideal = 0;
    for (const std::size_t index : array.accesses) {
      const AccessAnswer& access = answer_.accesses[index];
      if (!access.given || !access.given->served) return false;
      wavefronts += access.given->wavefronts;
      ideal += access.given->ideal;
    }
    return wavefronts == ideal || (!array.cures.empty() && wavefronts <= array.cures.front().wavefronts);
  }

  void cures(const ArrayAnswer& array) {
    if ((array.cures.empty() && array.cure_note.empty()) || cured(array)) return;
    text_ += "\n";
    const bool several = array.accesses.size() > 1;
    for (std::size_t i = 0; i < array.cures.size(); ++i) {
      const Cure& cure = array.cures[i];
      text_ += wrapped_after(i == 0 ? "  cure  " : "    or  ", cure.family + ": " + cure.text, options_.width,
                             i == 0 ? ink_.bold("  cure  ") : "");
      std::string figures;
      for (std::size_t k = 0; k < array.accesses.size() && several; ++k) {
        const AccessAnswer& access = answer_.accesses[array.accesses[k]];
        figures += fmt::format("{} {} -> {}, ", access.accesses.name, grouped(access.written.wavefronts),
                               grouped(cure.figures[k].wavefronts));
      }
      figures += counted(cure.wavefronts, "wavefront") + (several ? " in all, " : ", ");
      std::uint64_t written = 0, ideal = 0;
      for (const std::size_t k : array.accesses)
        written += answer_.accesses[k].written.wavefronts, ideal += answer_.accesses[k].written.ideal;
      figures += fmt::format("was {}, ideal {}; ", grouped(written), grouped(ideal));
      figures += cure.more_bytes == 0
                     ? "no more bytes"
                     : fmt::format("{} bytes {}", grouped(static_cast<std::uint64_t>(std::abs(cure.more_bytes))),
                                   cure.more_bytes > 0 ? "more" : "fewer");
      text_ += wrapped(figures, 8, options_.width);
    }
    if (!array.cure_note.empty()) text_ += wrapped_after("  note  ", array.cure_note, options_.width, "");
    if (options_.code && !array.cures.empty()) text_ += "\n" + array.cures.front().code + "\n";
  }

  void layout(const ArrayAnswer& array) {
    const Arrangement& shown = array.given ? *array.given : array.written;
    text_ += ink_.bold(fmt::format("{} {}", array.array.name, array.array.text())) +
             fmt::format(" ({} bytes)\n", grouped(array.tile.size_bytes()));
    if (array.given) text_ += wrapped(array.given->text, 2, options_.width);
    if (shown.fault) {
      text_ += wrapped(ink_.red(*shown.fault), 2, options_.width);
      return;
    }
    if (array.given) {
      const std::uint32_t before = array.tile.size_bytes();
      std::string facts = shown.bytes > before ? fmt::format("leaves the tile: needs {} bytes, {} more",
                                                             grouped(shown.bytes), grouped(shown.bytes - before))
                                               : "one to one, inside the tile";
      const unsigned widest = widest_vector_bytes(shown);
      if (array.tile.row_bytes() % 16 == 0 && widest < 16)
        facts += fmt::format("; breaks 16-byte vectors: {}{}whole are vectors of up to {}", shown.breaks,
                             shown.breaks.empty() ? "" : "; ", counted(widest, "byte"));
      text_ += wrapped(facts, 2, options_.width);
    }
    text_ += "\n" + layout_table(answer_, array);
    if (options_.pictures == Pictures::none) return;
    if (options_.compare && array.given) draw(layout_picture(array.written, array.array.base_bytes), 0);
    draw(layout_picture(shown, array.array.base_bytes),
         options_.pictures == Pictures::fitting && !options_.compare ? 16 : 0);
  }

  const Answer& answer_;
  const TextOptions& options_;
  Ink ink_;
  std::string text_;
};

}  // namespace

std::string write_text(const Answer& answer, const TextOptions& options) { return TextWriter(answer, options).run(); }

}  // namespace lanebank::show
