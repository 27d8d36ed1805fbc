// Texture instructions: TEX, TXD, TLD, TLD4, TXQ.
//
// Arguments are the layer, the coordinates, then what the instruction needs else (level of detail, offsets). They stand in
// two lists of registers, at 24:32 and at 32:40: coordinates in the first and all else in the second; with .SCR (bit 60) and
// a handle that is in no register the lists are of the same length, the first one longer by one at most. A handle in a
// register stands in front of the second list. TXD has the layer behind the coordinates and its handle in front of the
// first list. Levels of detail and gradients say something of mipmapped arrays only (texture_levels.hpp), and gradients of those
// are not known.
//
// Results: the components that 72:76 names, in order, two registers from 16:24 and two from 64:72; with .F16 two halves a
// register. The predicate 81:84 says that the element was not resident: never here.
#include <algorithm>

#include "machine/lanes/texture_fetch.hpp"
#include "machine/lanes/texture_levels.hpp"
#include "machine/lanes/texture_object.hpp"
#include "machine/numerics/binary16.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

/// Operation::modifiers of a texture instruction.
struct Access {
  TextureShape shape;
  unsigned components, first_count, component;
  bool layer_last, halves, offset_bytes;
  LevelBy level_by;

  explicit Access(std::uint32_t bits)
      : shape(static_cast<TextureShape>(bits & 7)),
        components(bits >> 3 & 15),
        first_count(bits >> 7 & 7),
        component(bits >> 10 & 3),
        layer_last((bits >> 12 & 1) != 0),
        halves((bits >> 13 & 1) != 0),
        offset_bytes((bits >> 16 & 1) != 0),
        level_by(static_cast<LevelBy>(bits >> 14 & 3)) {}
  static std::uint32_t pack(unsigned shape, unsigned components, unsigned first_count, unsigned component,
                            bool layer_last, bool halves, LevelBy level_by = LevelBy::first) {
    return shape | components << 3 | first_count << 7 | component << 10 | unsigned{layer_last} << 12 |
           unsigned{halves} << 13 | static_cast<unsigned>(level_by) << 14;
  }
};

/// The rows of registers that hold the arguments. `offsets`: in elements, four bits with a sign for each coordinate, of
/// gathers six in a byte; nullptr without .AOFFI. Source: tests/cudart/hardware/texture_offsets.cu.
struct Arguments {
  const std::uint32_t* at[3];
  const std::uint32_t* layer;
  const std::uint32_t* level;
  const std::uint32_t* offsets;
  bool bytes;

  std::int32_t offset(unsigned n, unsigned lane) const {
    if (offsets == nullptr) return 0;
    const std::uint32_t word = offsets[lane];
    if (bytes) return n > 1 ? 0 : static_cast<std::int32_t>(word << (26 - 8 * n)) >> 26;
    return static_cast<std::int32_t>(word << (28 - 4 * n)) >> 28;
  }
};

LANEBANK_INLINE Arguments arguments_of(Warp& w, const Operation* op, const Access& access) {
  unsigned next = 0;
  auto argument = [&] {
    const unsigned n = next++;
    return w.row(n < access.first_count ? op->a + n : op->b + n - access.first_count);
  };
  const bool layered = has_layers(access.shape);
  const std::uint32_t* zeros = w.row(w.register_count);
  Arguments arguments{{zeros, zeros, zeros},
                      zeros,
                      zeros,
                      op->offset < 0 ? nullptr : w.row(static_cast<unsigned>(op->offset)),
                      access.offset_bytes};
  if (layered && !access.layer_last) arguments.layer = argument();
  for (unsigned n = 0; n < coordinate_count(access.shape); ++n) arguments.at[n] = argument();
  if (layered && access.layer_last) arguments.layer = argument();
  if (access.level_by == LevelBy::number) arguments.level = argument();
  return arguments;
}

/// Puts the chosen components of `lanes` into their registers.
LANEBANK_INLINE void write_texels(Warp& w, const Operation* op, const Access& access, std::uint32_t lanes,
                                  const Texels& texels) {
  const std::uint32_t* chosen[4];
  unsigned count = 0;
  for (unsigned c = 0; c < 4; ++c)
    if ((access.components >> c & 1) != 0) chosen[count++] = texels.component[c];
  for (unsigned n = 0; n < count; n += access.halves ? 2 : 1) {
    alignas(64) std::uint32_t words[32];
    if (access.halves) {
      for (unsigned i = 0; i < 32; ++i) {
        const std::uint32_t low = numerics::Half::narrow(std::bit_cast<float>(chosen[n][i]));
        const std::uint32_t high = n + 1 < count ? numerics::Half::narrow(std::bit_cast<float>(chosen[n + 1][i])) : 0;
        words[i] = low | high << 16;
      }
    } else {
      std::memcpy(words, chosen[n], sizeof words);
    }
    std::uint32_t* row = w.row(n < 2 ? op->d + n : op->c + n - 2);
    for (unsigned i = 0; i < 32; ++i) row[i] = (lanes >> i & 1) != 0 ? words[i] : row[i];
  }
}

/// `read(reader, object, access, arguments, texels)` gives the texels of all lanes.
template <class Read>
LANEBANK_INLINE const Operation* texture_lanes(Warp& w, const Operation* op, Read read) {
  const std::uint32_t mask = begin(w, op);
  const Access access(op->modifiers);
  const Arguments arguments = arguments_of(w, op, access);
  const Operation* next =
      each_object(w, op, mask, TextureObject::Kind::texture, [&](std::uint32_t lanes, const TextureObject& object) {
        if (access.level_by == LevelBy::gradients && object.levels != nullptr) {
          raise_unsupported(w, op, "gradients in a mipmapped array");
          return false;
        }
        Texels texels;
        read(Reader(object, access.shape), object, access, arguments, texels);
        write_texels(w, op, access, lanes, texels);
        return true;
      });
  if (next != nullptr) set_predicate(w, op, 0, mask, 0);
  return next;
}

LANEBANK_INLINE void place(const Reader& reader, const Access& access, const Arguments& arguments, double (&x)[3][32],
                           Elements& elements) {
  alignas(64) float at[3][32];
  alignas(64) LaneWords layer;
  for (unsigned n = 0; n < 3; ++n) std::memcpy(at[n], arguments.at[n], sizeof at[n]);
  std::memcpy(layer, arguments.layer, sizeof layer);
  reader.place(at, layer, x, elements);
  if (arguments.offsets == nullptr) return;
  for (unsigned n = 0; n < 3; ++n)
    for (unsigned i = 0; i < 32; ++i) x[n][i] += arguments.offset(n, i);
  // Above and below the one row of a line lies its border: code for lines leaves the sign of x's offset in y's.
  if (access.shape != TextureShape::plane || reader.has(1)) return;
  for (unsigned i = 0; i < 32; ++i)
    if (reader.has_border(1) && arguments.offset(1, i) != 0) x[0][i] = -0x1p60;
}

/// Of an image with levels.
void sample_mipmap(const TextureObject& object, const Access& access, const Arguments& arguments, Texels& texels) {
  alignas(64) float level[32];
  std::memcpy(level, arguments.level, sizeof level);
  Levels levels;
  choose_levels(object, level, levels);
  sample_levels(
      object, access.shape, levels, access.components,
      [&](const Reader& reader, double(&x)[3][32], Elements& elements) {
        place(reader, access, arguments, x, elements);
      },
      texels);
}

const Operation* sample(Warp& w, const Operation* op) {
  return texture_lanes(w, op,
                       [](const Reader& reader, const TextureObject& object, const Access& access,
                          const Arguments& arguments, Texels& texels) {
                         if (object.levels != nullptr) return sample_mipmap(object, access, arguments, texels);
                         alignas(64) double x[3][32] = {};
                         Elements elements;
                         place(reader, access, arguments, x, elements);
                         if (object.sampler.linear)
                           sample_linear(reader, x, elements, access.components, texels);
                         else
                           sample_nearest(reader, x, elements, access.components, texels);
                       });
}

void fetch_one(const Reader& reader, const Access& access, const Arguments& arguments, Texels& texels) {
  Elements elements;
  alignas(64) LaneWords words;
  std::memcpy(words, arguments.layer, sizeof words);
  reader.choose_layers(words, elements);
  clear(elements);
  for (unsigned n = 0; n < 3; ++n) {
    std::memcpy(words, arguments.at[n], sizeof words);
    for (unsigned i = 0; i < 32; ++i) words[i] += static_cast<std::uint32_t>(arguments.offset(n, i));
    reader.address_exactly(n, words, elements);
  }
  reader.texels(elements, access.components, true, texels);
}

const Operation* fetch(Warp& w, const Operation* op) {
  return texture_lanes(w, op,
                       [](const Reader& reader, const TextureObject& object, const Access& access,
                          const Arguments& arguments, Texels& texels) {
                         if (object.levels == nullptr) return fetch_one(reader, access, arguments, texels);
                         // Each level for the lanes that ask for it; zeros for those that ask for none there is.
                         for (auto& component : texels.component)
                           std::fill(std::begin(component), std::end(component), 0u);
                         for (std::uint32_t k = 0; k < object.levels->size(); ++k) {
                           Texels one;
                           fetch_one(Reader((*object.levels)[k], object.sampler, access.shape), access, arguments, one);
                           for (unsigned c = 0; c < 4; ++c)
                             for (unsigned i = 0; i < 32; ++i)
                               if (arguments.level[i] == k) texels.component[c][i] = one.component[c][i];
                         }
                       });
}

const Operation* gather(Warp& w, const Operation* op) {
  return texture_lanes(
      w, op,
      [](const Reader& reader, const TextureObject&, const Access& access, const Arguments& arguments, Texels& texels) {
        alignas(64) double x[3][32] = {};
        Elements elements;
        place(reader, access, arguments, x, elements);
        gather_four(reader, x, elements, access.component, texels);
      });
}

/// Width, height, depth or layers, levels.
const Operation* query(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const Access access(op->modifiers);
  return each_object(w, op, mask, TextureObject::Kind::none, [&](std::uint32_t lanes, const TextureObject& object) {
    const Image& image = object.image;
    const auto levels = static_cast<std::uint32_t>(object.levels == nullptr ? 1 : object.levels->size());
    const std::uint32_t sizes[4] = {image.width, image.height, image.depth > 1 ? image.depth : image.layers, levels};
    Texels texels;
    for (unsigned c = 0; c < 4; ++c)
      std::fill(std::begin(texels.component[c]), std::end(texels.component[c]), sizes[c]);
    write_texels(w, op, access, lanes, texels);
    return true;
  });
}

/// Destinations, and the predicate.
void lower_results(Lowering& l, unsigned components, bool halves) {
  const auto count = static_cast<unsigned>(std::popcount(components));
  const unsigned registers = halves ? (count + 1) / 2 : count;
  l.op.d = l.d(halves ? 1 : std::min(2u, registers));
  l.op.c = l.destination(unsigned(l.bits(64, 72)), halves ? 1 : std::max(1u, registers) - std::min(2u, registers));
  if (!halves && registers <= 2) l.op.c = l.destination(255);
  if (halves && registers < 2) l.op.c = l.destination(255);
  l.op.predicate_out[0] = Lowering::predicate_destination(unsigned(l.bits(81, 84)));
}

/// What sampling, fetching and gathering have in common. `extra`: arguments behind the coordinates; offsets (.AOFFI) stand
/// behind those.
void lower_texture(Lowering& l, Execute execute, unsigned extra, unsigned component,
                   LevelBy level_by = LevelBy::first) {
  const auto shape = unsigned(l.bits(61, 64));
  const auto components = unsigned(l.bits(72, 76));
  const bool halves = l.bits(79, 81) == 1, gradients = level_by == LevelBy::gradients;
  const HandleIn handle = handle_place(l);
  const auto typed = static_cast<TextureShape>(shape);
  const unsigned coordinates = coordinate_count(typed) + (has_layers(typed) ? 1 : 0);
  unsigned first_count = coordinates;
  const bool has_offsets = l.bit(76);
  if (l.bit(60) && handle != HandleIn::row && !gradients)
    first_count = (coordinates + extra + (has_offsets ? 1 : 0) + 1) / 2;
  unsigned first = unsigned(l.bits(24, 32)), second = unsigned(l.bits(32, 40));
  lower_handle(l, handle != HandleIn::row ? 0 : l.source(gradients ? first : second));
  if (handle == HandleIn::row) ++(gradients ? first : second);
  l.op.a = l.source(first, std::min(first_count, coordinates));
  l.op.offset = -1;
  if (has_offsets) {
    const unsigned n = coordinates + extra;
    l.op.offset = l.source(n < first_count ? first + n : second + n - first_count);
    if (gradients) l.unsupported = "offsets of texture coordinates with gradients";
  }
  unsigned second_count = coordinates - std::min(first_count, coordinates);
  if (level_by == LevelBy::number && first_count <= coordinates) ++second_count;
  if (second_count != 0) l.op.b = l.source(second, second_count);
  l.op.modifiers = Access::pack(shape, components, first_count, component, gradients, halves, level_by);
  lower_results(l, components, halves);
  l.op.execute = execute;
  if (shape == 6) l.unsupported = "a texture of this shape";
  if (l.bits(79, 81) > 1) l.unsupported = "texture results as halves that are cut";
  if (handle == HandleIn::constant && l.bit(59)) l.unsupported = "a texture handle in a constant bank and a register";
}

}  // namespace

void lower_TEX(Lowering& l) {
  // With a level, a bias, a smallest level: one argument each.
  constexpr unsigned extra[8] = {0, 0, 1, 1, 1, 2, 1, 0};
  constexpr unsigned bias = 2, level = 3;
  const auto said = unsigned(l.bits(87, 90));
  lower_texture(l, sample, extra[said], 0, said == bias || said == level ? LevelBy::number : LevelBy::first);
  if (l.bit(78)) l.unsupported = "comparisons of depth in textures";
}

void lower_TXD(Lowering& l) { lower_texture(l, sample, 0, 0, LevelBy::gradients); }

void lower_TLD(Lowering& l) {
  const bool has_level = l.bits(87, 90) == 3;
  lower_texture(l, fetch, has_level ? 1 : 0, 0, has_level ? LevelBy::number : LevelBy::first);
  if (l.bit(76) && l.bits(61, 64) == 0)
    l.unsupported = "an offset of an element of a line, for which an H200 gives zeros";
  if (l.bit(78)) l.unsupported = "textures with several samples an element";
}

void lower_TLD4(Lowering& l) {
  lower_texture(l, gather, 0, unsigned(l.bits(87, 89)));
  l.op.modifiers |= 1u << 16;  // Access::offset_bytes
  if (l.bit(78)) l.unsupported = "comparisons of depth in textures";
  if (l.bit(77)) l.unsupported = "an offset for each element of a gather";
}

void lower_TXQ(Lowering& l) {
  const auto components = unsigned(l.bits(72, 76));
  lower_handle(l, handle_place(l) == HandleIn::row ? l.a() : std::uint16_t{0});
  l.op.modifiers = Access::pack(0, components, 0, 0, false, false);
  lower_results(l, components, false);
  l.op.predicate_out[0] = sink_predicate;
  l.op.execute = query;
  if (l.bits(62, 64) != 0) l.unsupported = "what a texture query of this kind gives";
}

}  // namespace lanebank::machine::LANEBANK_SIMD
