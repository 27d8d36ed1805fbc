#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>

#include "architecture_option.hpp"
#include "commands.hpp"
#include "offered_values.hpp"
#include "show.hpp"

namespace lanebank::tools {
namespace {

/// Options whose value may be left out: what follows may be the value or an expression.
struct InstructionOptions {
  std::string ldmatrix, stmatrix, atomic, cp_async;
  bool load = false, store = false;
};

constexpr const char* examples =
    "Examples:\n"
    "  lanebank show 's[2*tid]'\n"
    "  lanebank show 'tile[tx][ty]' --tile 32x32xf32 --block 32x32\n"
    "  lanebank show 'W: tile[ty][tx]' 'R: tile[tx][ty]' --tile 32x32xf32      cures for both together\n"
    "  lanebank show '*(float4*)&s[8*tid]' --phases                            16 bytes a lane, phase by phase\n"
    "  lanebank show 'tile[lane % 16][lane / 16 * 8]' --tile 16x64xf16 --ldmatrix x4\n"
    "  lanebank show --swizzle 3,4,3 --tile 64x64xf16                          what a swizzle does to usual accesses\n"
    "  lanebank show --swizzle 3,1,3 --order sbm --tile 16x16xf16 --svg swizzle.svg\n"
    "  lanebank show problem.json                                              a problem file of lanebank solve\n"
    "Exit code: 0, or 125 when the input is wrong; the message marks the place.";

const std::vector<std::string> matrix_shapes = {"x1", "x2", "x4", "x1.trans", "x2.trans", "x4.trans"};
const std::vector<std::string> atomic_operations = {"add", "min", "max", "inc",  "dec",
                                                    "and", "or",  "xor", "exch", "cas"};

bool is_one_of(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The instruction of the options; an expression that an option took for its value goes back to the expressions.
Result<std::string> chosen_instruction(const CLI::App& command, InstructionOptions& options,
                                       std::vector<std::string>& expressions) {
  std::vector<std::string> chosen;
  const auto take = [&](const char* name, std::string& value, const std::vector<std::string>& words,
                        const std::string& prefix, const std::string& otherwise) {
    if (command.count(name) == 0) return;
    if (!value.empty() && !is_one_of(value, words)) {
      expressions.insert(expressions.begin(), value);
      value.clear();
    }
    chosen.push_back(prefix + (value.empty() ? otherwise : value));
  };
  take("--ldmatrix", options.ldmatrix, matrix_shapes, "ldmatrix_", "x4");
  take("--stmatrix", options.stmatrix, matrix_shapes, "stmatrix_", "x4");
  take("--cp-async", options.cp_async, {"cg", "ca"}, "cp_async_", "cg");
  take("--atomic", options.atomic, atomic_operations, "", "add");
  if (command.count("--atomic") != 0) {
    std::string& what = chosen.back();
    const bool bits = is_one_of(what, {"and", "or", "xor", "exch", "cas"});
    what = what == "cas" ? "cas" : "atom_" + what + (bits ? "_b32" : "_u32");
  }
  if (options.load) chosen.emplace_back("ld");
  if (options.store) chosen.emplace_back("st");
  if (chosen.size() > 1)
    return fail("show.arguments", "", "more than one instruction is named for all accesses",
                "Name them one by one: 'store: a[tid]' 'ldmatrix_x4: b[lane]'.");
  return chosen.empty() ? "" : chosen.front();
}

/// Colours that the terminal can show, and whether its ground is dark as far as it says.
void set_colours(show::TextOptions& text, const Terminal& terminal) {
  if (!terminal.color) return;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  const std::string colours = variable("COLORTERM"), ground = variable("COLORFGBG");
  text.colours = colours == "truecolor" || colours == "24bit" ? picture::Colours::full : picture::Colours::cube;
  text.dark = !(ground.ends_with(";7") || ground.ends_with(";15"));
}

void add_inputs(CLI::App& command, show::Request& request) {
  command
      .add_option("ACCESS", request.expressions, "index expressions as CUDA code has them, or one problem file (.json)")
      ->type_name("")
      ->check(offers_files());
  const auto several = [&command](const char* name, std::vector<std::string>& values, const char* type,
                                  const char* help) {
    command.add_option(name, values, help)->type_name(type)->allow_extra_args(false)->group("Input");
  };
  several("-t,--tile", request.tiles, "ARRAY",
          "the array: 32x33xf32, NAME=16x16xhalf@OFFSET, or '__shared__ float t[32][33]'; repeatable");
  command.add_option("-b,--block", request.block, "threads: 256, 32x8, 8x8x4")->type_name("X[xY[xZ]]")->group("Input");
  several("--for", request.loops, "LOOP", "a loop variable: k=0:32 or k=0:32:4; repeatable");
  several("-D,--define", request.definitions, "NAME=VALUE", "a name: TILE=32, 'row=tid / 8'; repeatable");
  command.add_option("--if", request.condition, "lanes that take part: 'tx < 16'")
      ->type_name("CONDITION")
      ->group("Input");
  command.add_option("--mask", request.mask, "lanes that take part, as bits: 0xffff")
      ->type_name("BITS")
      ->group("Input");
  command.add_option("--offset", request.offset, "where the array begins: bytes, or elements as 64e")
      ->type_name("OFFSET")
      ->group("Input");
  command.add_option("--vector", request.vector, "elements that a lane moves at once")
      ->check(CLI::Range(1u, 16u))
      ->type_name("N")
      ->group("Input");
  command
      .add_option_function<unsigned>(
          "--warp", [&request](const unsigned& warp) { request.warp = warp; },
          "this warp only; all of the block otherwise")
      ->check(CLI::Range(0u, 31u))
      ->type_name("N")
      ->group("Input");
}

void add_instructions(CLI::App& command, InstructionOptions& options) {
  const char* group = "Instruction, where the access itself says none";
  command.add_flag("--load", options.load, "a load (the default)")->group(group);
  command.add_flag("--store", options.store, "a store")->group(group);
  command.add_option("--ldmatrix", options.ldmatrix, "x1, x2 or x4; the access gives the rows' addresses")
      ->expected(0, 1)
      ->check(offers(matrix_shapes))
      ->type_name("[SHAPE]")
      ->group(group);
  command.add_option("--stmatrix", options.stmatrix, "x1, x2 or x4")
      ->expected(0, 1)
      ->check(offers(matrix_shapes))
      ->type_name("[SHAPE]")
      ->group(group);
  command.add_option("--atomic", options.atomic, "add, min, max, inc, dec, and, or, xor, exch or cas")
      ->expected(0, 1)
      ->check(offers(atomic_operations))
      ->type_name("[OPERATION]")
      ->group(group);
  command.add_option("--cp-async", options.cp_async, "cg or ca, from consecutive global memory")
      ->expected(0, 1)
      ->check(offers({"cg", "ca"}))
      ->type_name("[KIND]")
      ->group(group);
}

void add_layout(CLI::App& command, show::Request& request, std::string& order) {
  command.add_option("-s,--swizzle", request.swizzles, "three numbers: 3,4,3; repeated: stages, one after the other")
      ->allow_extra_args(false)
      ->type_name("A,B,C")
      ->group("Layout");
  command
      .add_option("--order", order,
                  "bbs: bits, base, shift (CuTe; on bytes unless --unit says else); sbm: shift, bits, lowest target "
                  "bit (articles; on elements)")
      ->check(CLI::IsMember({"bbs", "bms", "sbm"}))
      ->type_name("ORDER")
      ->group("Layout");
  command
      .add_option("--unit", request.unit,
                  "what the swizzle's index counts: bytes, elements, vectors (16 bytes), 1, 2, 4, 8, 16")
      ->type_name("UNIT")
      ->group("Layout");
  command.add_option("--pad", request.pad_elements, "elements added to each row")
      ->check(CLI::Range(0u, 1024u))
      ->type_name("N")
      ->group("Layout");
}

void add_outputs(CLI::App& command, ShowArguments& arguments) {
  command.add_flag("-q,--brief", arguments.text.brief, "one line per access")->group("Output");
  command.add_flag("--lanes", arguments.text.lanes, "every lane's address and bank")->group("Output");
  command.add_flag("--phases", arguments.text.phases, "every phase, with its picture and who meets")->group("Output");
  command.add_flag("--compare", arguments.text.compare, "before and after: the layout given, or the best cure")
      ->group("Output");
  command.add_flag("--code", arguments.text.code, "the best cure as CUDA C++")->group("Output");
  const std::map<std::string, show::Pictures> pictures = {{"none", show::Pictures::none},
                                                          {"tile", show::Pictures::tile},
                                                          {"banks", show::Pictures::banks},
                                                          {"both", show::Pictures::both}};
  const auto choose = [&arguments, pictures](const std::string& kind) { arguments.text.pictures = pictures.at(kind); };
  command
      .add_option_function<std::string>("--picture", choose,
                                        "a picture of this kind, all of it; one that fits otherwise")
      ->check(CLI::IsMember({"none", "tile", "banks", "both"}))
      ->type_name("KIND")
      ->group("Output");
  command
      .add_flag_callback(
          "--no-cure", [&arguments] { arguments.request.cures = false; }, "do not look for better layouts")
      ->group("Output");
  command.add_option("--svg", arguments.svg, "the pictures to FILE as SVG; - for standard output")
      ->type_name("FILE")
      ->group("Output");
  command.add_option("--json", arguments.json, "the answer to FILE as JSON; - for standard output")
      ->type_name("FILE")
      ->group("Output");
  command.add_option("--width", arguments.width, "columns of the text; those of the terminal otherwise")
      ->check(CLI::Range(40u, 1000u))
      ->type_name("N")
      ->group("Output");
}

}  // namespace

void add_show(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("show", "why an access conflicts, in pictures, and what cures it");
  struct Everything {
    ShowArguments arguments;
    InstructionOptions instructions;
    std::string order;
  };
  auto all = std::make_shared<Everything>();
  add_inputs(*command, all->arguments.request);
  add_instructions(*command, all->instructions);
  add_layout(*command, all->arguments.request, all->order);
  add_outputs(*command, all->arguments);
  add_architecture(*command, all->arguments.request.architecture, "whose rules apply");
  command->footer(examples);
  command->callback([all, command, &invocation] {
    ShowArguments& arguments = all->arguments;
    Result<std::string> instruction = chosen_instruction(*command, all->instructions, arguments.request.expressions);
    if (!instruction) {
      std::cerr << "lanebank show: " << to_string(instruction.error()) << '\n';
      invocation.exit_code = 125;
      return;
    }
    arguments.request.instruction = *instruction;
    arguments.request.articles_order = all->order == "sbm";
    const Terminal terminal = terminal_of(1, [](const char* name) { return std::getenv(name); });
    set_colours(arguments.text, terminal);
    invocation.exit_code = run_show(arguments, std::cin, std::cout, std::cerr, terminal);
  });
}

}  // namespace lanebank::tools
