// `lanebank kernel`: one kernel without a host program.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "analysis.hpp"
#include "commands.hpp"
#include "compile_kernel.hpp"
#include "engine_options.hpp"
#include "kernel_arguments.hpp"
#include "observed_run.hpp"
#include "offered_values.hpp"
#include "session/gate.hpp"
#include "session/kernel_launch.hpp"
#include "terminal.hpp"

namespace lanebank::tools {
namespace {

constexpr std::uint64_t printed_elements = 16;

constexpr const char* examples =
    "The kernel runs once without a GPU, on buffers with the given contents. Nothing but its machine code is needed; a "
    ".cu file\n"
    "is compiled with nvcc first.\n"
    "\n"
    "Examples:\n"
    "  lanebank kernel transpose.cu --kernel 'transpose<32>' --grid 32,32 --block 32,32 \\\n"
    "      --arg 'f32[1024*1024]=iota' --arg 'f32[1024*1024]' --arg i32=1024 --print 1:8\n"
    "  lanebank kernel app.cubin --list                            the kernels and their parameters\n"
    "  lanebank kernel sum.cubin --block 256 --shared 1024 -D N=4096 --grid N/256 --arg 'f32[N]=random:1' --arg "
    "'f32[1]'\n"
    "  lanebank kernel scale.cu --block 64 --arg 'f32[64]=file:in.bin' --arg f32=2 --save 0=out.bin\n"
    "\n"
    "Arguments: TYPE=VALUE, TYPE[SIZE]=CONTENT (a pointer to a buffer), null, @N (the pointer of argument N); contents "
    "are zero, a\n"
    "number or several, iota[:FIRST[:STEP]], random:SEED[:LOW:HIGH], file:PATH. Types: i8 to u64, f16, bf16, f32, f64, "
    "and CUDA's\n"
    "names of them.\n"
    "\n"
    "Exit code:\n"
    "  0    no findings\n"
    "  120  findings: an error, or more excess wavefronts than --max-excess\n"
    "  122  cannot analyse: no usable machine code, no nvcc, an unsupported instruction; the message says what to do\n"
    "  125  lanebank or nvcc failed, or was used wrongly";

struct Arguments {
  std::string file;
  session::EngineOptions engine;
  AnalysisOptions analysis;
  Compiler compiler;
  std::string kernel, grid = "1", block = "1", cluster, shared = "0";
  std::vector<std::string> arguments, definitions, prints, saves;
  bool cooperative = false, list = false;
};

int tell(const Diagnostic& diagnostic, int exit_code = session::exit_failure) {
  std::cerr << "lanebank kernel: " << to_string(diagnostic) << "\n";
  return exit_code;
}

/// Code that cannot be had is no fault of the command line.
int code_for(const Diagnostic& problem) {
  for (const char* id : {"file.", "kernel.", "nvcc.failed", "nvcc.arguments", "code.unknown", "code.host", "launch."})
    if (problem.id.starts_with(id)) return session::exit_failure;
  return session::exit_cannot_analyse;
}

/// "32", "32,32", "32x8", "N/32,4": as many numbers as are missing are 1.
Result<std::array<std::uint32_t, 3>> read_size(const char* option, const std::string& text, const show::Scope& scope) {
  std::string commas = text;
  if (text.find_first_not_of("0123456789x") == std::string::npos) std::replace(commas.begin(), commas.end(), 'x', ',');
  std::array<std::uint32_t, 3> size{1, 1, 1};
  std::size_t begin = 0;
  for (std::size_t i = 0; begin <= commas.size(); ++i) {
    const std::size_t end = std::min(commas.find(',', begin), commas.size());
    const auto number = read_whole(std::string_view(commas).substr(begin, end - begin), scope);
    if (!number || i == 3 || *number < 0 || *number > 0xffffffffll)
      return fail("kernel.size", option, "'" + text + "' are not one to three numbers", "For instance 32,8.");
    size[i] = static_cast<std::uint32_t>(*number);
    begin = end + 1;
  }
  return size;
}

/// The number in front of a separator, and what follows; `without`: where there is no separator.
std::optional<std::pair<std::size_t, std::string>> numbered(const std::string& text, char separator,
                                                            const std::string& without) {
  const std::size_t at = std::min(text.find(separator), text.size());
  const std::string number = text.substr(0, at);
  if (number.empty() || number.size() > 4 || number.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::pair(std::stoul(number), at == text.size() ? without : text.substr(at + 1));
}

/// All that the command line says of the launch, and what is done with its buffers.
struct Request {
  session::KernelLaunch launch;
  std::vector<GivenArgument> given;
  std::vector<std::pair<std::size_t, std::uint64_t>> prints;  ///< argument and elements
  std::vector<std::pair<std::size_t, Output>> saves;
};

Result<std::size_t> buffer_number(const Request& request, const char* option, std::size_t argument) {
  if (argument < request.given.size() && request.given[argument].argument.kind == session::KernelArgument::Kind::buffer)
    return argument;
  return fail("kernel.output", option, "argument " + std::to_string(argument) + " is no buffer",
              "Arguments count from 0.");
}

Result<void> read_outputs(const Arguments& arguments, const show::Scope& scope, Request& request) {
  for (const std::string& text : arguments.prints) {
    const auto parts = numbered(text, ':', std::to_string(printed_elements));
    const auto count = parts ? read_whole(parts->second, scope) : Result<std::int64_t>(-1);
    if (!count || *count < 0)
      return fail("kernel.output", "--print", "'" + text + "' is neither ARGUMENT nor ARGUMENT:ELEMENTS");
    auto argument = buffer_number(request, "--print", parts->first);
    if (!argument) return tl::unexpected(argument.error());
    request.prints.emplace_back(*argument, static_cast<std::uint64_t>(*count));
  }
  for (const std::string& text : arguments.saves) {
    const auto parts = numbered(text, '=', "");
    if (!parts || parts->second.empty()) return fail("kernel.output", "--save", "'" + text + "' is no ARGUMENT=FILE");
    auto argument = buffer_number(request, "--save", parts->first);
    if (!argument) return tl::unexpected(argument.error());
    auto output = Output::open(parts->second);
    if (!output) return tl::unexpected(output.error());
    request.saves.emplace_back(*argument, std::move(*output));
  }
  return {};
}

Result<Request> read_request(const Arguments& arguments) {
  const auto scope = show::Scope::make({}, arguments.definitions);
  if (!scope) return tl::unexpected(scope.error());
  Request request;
  request.launch.kernel = arguments.kernel;
  request.launch.cooperative = arguments.cooperative;
  for (const auto& [option, text, size] : {std::tuple("--grid", &arguments.grid, &request.launch.grid),
                                           std::tuple("--block", &arguments.block, &request.launch.block),
                                           std::tuple("--cluster", &arguments.cluster, &request.launch.cluster)}) {
    if (text->empty()) continue;
    auto read = read_size(option, *text, *scope);
    if (!read) return tl::unexpected(read.error());
    *size = *read;
  }
  const auto shared = read_whole(arguments.shared, *scope);
  if (!shared || *shared < 0 || *shared > 0x7fffffff)
    return fail("kernel.size", "--shared", "'" + arguments.shared + "' is no number of bytes");
  request.launch.dynamic_shared_bytes = static_cast<std::uint32_t>(*shared);
  for (const std::string& text : arguments.arguments) {
    auto given = read_argument(text, *scope);
    if (!given) return tl::unexpected(given.error());
    request.launch.arguments.push_back(given->argument);
    request.given.push_back(std::move(*given));
  }
  if (auto outputs = read_outputs(arguments, *scope, request); !outputs) return tl::unexpected(outputs.error());
  return request;
}

/// The kernels of the file; of a .cu file with the template that it does not instantiate itself, where the name asks for one.
Result<session::KernelLauncher> load(const Arguments& arguments) {
  const std::string extension = std::filesystem::path(arguments.file).extension();
  if (extension != ".cu" && extension != ".cuh") {
    auto content = content_of(arguments.file);
    if (!content) return tl::unexpected(content.error());
    const auto* first = reinterpret_cast<const std::byte*>(content->data());
    return session::KernelLauncher::load({first, content->size()}, arguments.file, arguments.engine);
  }
  // So that a file that is not there is told before a compiler that is not.
  if (auto content = content_of(arguments.file); !content) return tl::unexpected(content.error());
  const auto compiled = [&](const std::string& instance) {
    return compile_kernel(arguments.file, arguments.compiler, instance).and_then([&](const auto& code) {
      return session::KernelLauncher::load(code, arguments.file, arguments.engine);
    });
  };
  auto kernels = compiled({});
  const bool is_template = arguments.kernel.find('<') != std::string::npos;
  if (!kernels || !is_template || kernels->kernel(arguments.kernel)) return kernels;
  return compiled(arguments.kernel.substr(0, arguments.kernel.find('(')));
}

int list(const session::KernelLauncher& kernels) {
  for (const session::KernelSignature& kernel : kernels.kernels()) {
    std::cout << kernel.name << "\n    " << kernel.symbol << "\n    parameters of";
    for (const std::uint32_t bytes : kernel.parameter_bytes) std::cout << " " << bytes;
    std::cout << (kernel.parameter_bytes.empty() ? " no bytes" : " bytes") << ", " << kernel.static_shared_bytes
              << " bytes of static shared memory, " << kernel.registers << " registers";
    if (kernel.max_threads_per_block != 0) std::cout << ", at most " << kernel.max_threads_per_block << " threads";
    std::cout << "\n";
  }
  return session::exit_success;
}

/// What the kernel printed, and the buffers that were asked for.
Result<void> give_buffers(Request& request, const session::KernelResult& result) {
  std::cout << result.printed;
  for (const auto& [argument, count] : request.prints) {
    const GivenArgument& given = request.given[argument];
    std::cout << "argument " << argument << ", " << given.declared << ": "
              << elements_text(*given.type, result.buffers[argument], count) << "\n";
  }
  std::cout.flush();
  for (auto& [argument, output] : request.saves) {
    const std::vector<std::byte>& bytes = result.buffers[argument];
    if (auto saved = output.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); !saved) return saved;
  }
  return {};
}

int run(Arguments arguments) {
  arguments.engine.search_path = variable_or_empty("PATH");
  arguments.engine.temporary_folder = variable_or_empty("TMPDIR");
  arguments.engine.progress = terminal_of(STDERR_FILENO, variable).is_terminal;
  arguments.compiler.architecture = arguments.engine.architecture;
  arguments.compiler.temporary_folder = arguments.engine.temporary_folder;
  if (arguments.list) {
    const auto kernels = load(arguments);
    return kernels ? list(*kernels) : tell(kernels.error(), code_for(kernels.error()));
  }
  auto analysis = Analysis::prepare(arguments.analysis, arguments.engine);
  if (!analysis) return tell(analysis.error());
  auto request = read_request(arguments);
  if (!request) return tell(request.error());
  auto kernels = load(arguments);
  if (!kernels) return tell(kernels.error(), code_for(kernels.error()));
  auto result = kernels->launch(request->launch, analysis->source_root());
  if (!result) return tell(result.error(), code_for(result.error()));
  if (auto given = give_buffers(*request, *result); !given) return tell(given.error());
  note_sampling(result->report, arguments.engine);
  if (!arguments.kernel.empty()) result->report.command.push_back(arguments.kernel);
  return analysis->finish(std::move(result->report), "kernel");
}

void add_options(CLI::App& command, Arguments& arguments) {
  command.add_option("FILE", arguments.file, "a .cu file, a cubin, a fatbin, or PTX")
      ->required()
      ->type_name("")
      ->check(offers_files());
  const char* launch = "The launch";
  const auto word = [&](const char* name, std::string& value, const char* type, const char* meaning,
                        const char* group) { command.add_option(name, value, meaning)->type_name(type)->group(group); };
  const auto several = [&](const char* name, std::vector<std::string>& values, const char* type, const char* meaning,
                           const char* group) {
    command.add_option(name, values, meaning)->type_name(type)->allow_extra_args(false)->group(group);
  };
  word("-k,--kernel", arguments.kernel, "NAME",
       "which, mangled or not, in full or as it begins; not needed if there is one", launch);
  word("-g,--grid", arguments.grid, "X[,Y[,Z]]", "blocks", launch);
  word("-b,--block", arguments.block, "X[,Y[,Z]]", "threads of a block", launch);
  word("--cluster", arguments.cluster, "X[,Y[,Z]]", "blocks of a cluster", launch);
  word("--shared", arguments.shared, "BYTES", "dynamic shared memory", launch);
  command.add_flag("--cooperative", arguments.cooperative, "a cooperative launch, for grid barriers")->group(launch);
  several("-a,--arg", arguments.arguments, "ARGUMENT", "the next argument: 'f32[1024]=iota', i32=7, null, @0", launch);
  several("-D,--define", arguments.definitions, "NAME=VALUE", "a name for sizes and whole numbers: N=1024", launch);
  command.add_flag("--list", arguments.list, "the kernels of the file and their parameters; nothing runs")
      ->group(launch);
  const char* buffers = "What becomes of buffers";
  several("--print", arguments.prints, "ARG[:N]", "the first N elements (16) to standard output", buffers);
  several("--save", arguments.saves, "ARG=FILE", "all bytes to FILE", buffers);
  const char* compiling = "How a .cu file is compiled";
  word("--nvcc", arguments.compiler.nvcc, "PROGRAM", "nvcc, if it is not on PATH", compiling);
  word("--nvcc-args", arguments.compiler.arguments, "WORDS", "more arguments of nvcc: '-Iinclude -DTILE=32'",
       compiling);
  add_device_options(command, arguments.engine);
  add_blocks_option(command, arguments.engine);
  add_analysis_options(command, arguments.engine, arguments.analysis);
}

}  // namespace

void add_kernel(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("kernel", "runs one kernel without a host program and without a GPU");
  auto arguments = std::make_shared<Arguments>();
  command->footer(examples);
  add_options(*command, *arguments);
  command->callback([arguments, &invocation] { invocation.exit_code = run(*arguments); });
}

}  // namespace lanebank::tools
