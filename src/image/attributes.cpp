#include "image/attributes.hpp"

namespace lanebank::image {

Result<std::vector<Attribute>> read_attributes(Bytes section, std::string_view section_name) {
  constexpr std::uint8_t no_value = 1, byte_value = 2, half_value = 3, sized_value = 4;
  std::vector<Attribute> attributes;
  ByteReader reader(section);
  while (!reader.at_end()) {
    std::string where = std::string(section_name) + " offset " + std::to_string(reader.position());
    auto format = reader.read<std::uint8_t>();
    Attribute attribute;
    attribute.kind = AttributeKind(reader.read<std::uint8_t>());
    auto half = reader.read<std::uint16_t>();
    switch (format) {
      case no_value:
        break;
      case byte_value:
        attribute.value = half & 0xff;
        break;
      case half_value:
        attribute.value = half;
        break;
      case sized_value:
        attribute.payload = reader.take(half);
        break;
      default:
        return fail("cubin.attribute", where,
                    "attribute format " + std::to_string(format) + " is not known (1 to 4 are)",
                    "the file is damaged, or of a newer toolkit than lanebank knows");
    }
    if (!reader.ok())
      return fail("cubin.truncated", where, "an attribute runs over the end of its section",
                  "the file is damaged: build it again");
    attributes.push_back(attribute);
  }
  return attributes;
}

}  // namespace lanebank::image
