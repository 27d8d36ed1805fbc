// How much of cubins is executed: counts instructions by what the decoder and the lowering say of them.
//
//   count_executed FILE.cubin...
//
// One line for each reason why instructions are not executed, with their number and an example.
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "image/cubin.hpp"
#include "machine/device.hpp"
#include "machine/program.hpp"
#include "sass/instruction.hpp"

namespace {

struct Reason {
  std::size_t count = 0;
  std::string example;
};

}  // namespace

int main(int argc, char** argv) {
  using namespace lanebank;
  std::map<std::string, Reason> reasons;
  std::size_t all = 0, executed = 0;
  for (int n = 1; n < argc; ++n) {
    std::ifstream file(argv[n], std::ios::binary);
    const std::vector<char> text((std::istreambuf_iterator<char>(file)), {});
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    auto cubin = image::read_cubin({bytes, bytes + text.size()});
    if (!cubin) return std::cerr << argv[n] << ": " << to_string(cubin.error()) << '\n', 1;
    const unsigned architecture = cubin->architecture;
    machine::Device device({.jobs = 1, .memory_bytes = std::uint64_t{1} << 32});
    auto module = device.load(std::move(*cubin), [](std::string_view) { return std::optional<std::uint64_t>(16); });
    if (!module) return std::cerr << argv[n] << ": " << to_string(module.error()) << '\n', 1;
    const image::Cubin& loaded = (*module)->cubin;
    for (std::uint32_t f = 0; f < loaded.functions.size(); ++f) {
      if (!loaded.functions[f].kernel) continue;
      auto program = machine::build_program(**module, f, false);
      if (!program) return std::cerr << argv[n] << ": " << to_string(program.error()) << '\n', 1;
      for (const machine::Program::Piece& piece : (*program)->pieces) {
        if (piece.function != f) continue;
        for (std::uint32_t i = piece.first; i < piece.first + piece.count; ++i) {
          ++all;
          const char* reason = (*program)->unsupported[i];
          if (reason == nullptr) {
            ++executed;
            continue;
          }
          const sass::Instruction instruction = sass::decode((*program)->words[i], 0, architecture);
          const std::string text_of = sass::disassemble(instruction, architecture);
          Reason& found = reasons[text_of.substr(0, text_of.find('.')) + ": " + reason];
          ++found.count;
          if (found.example.empty()) found.example = text_of + "  (" + loaded.functions[f].symbol + ")";
        }
      }
    }
  }
  std::cout << all << " instructions, " << executed << " executed\n";
  for (const auto& [reason, found] : reasons) std::cout << found.count << "  " << reason << "  " << found.example << '\n';
  return all == 0;
}
