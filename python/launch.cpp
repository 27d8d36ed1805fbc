// Kernels from their machine code, launched in this process.
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "module.hpp"
#include "report/json.hpp"
#include "report/text.hpp"
#include "session/gate.hpp"
#include "session/kernel_launch.hpp"

namespace lanebank::python {
namespace {

using session::KernelArgument;
using session::KernelLauncher;

std::vector<std::byte> bytes_of(const nb::bytes& bytes) {
  const auto* data = static_cast<const std::byte*>(bytes.data());
  return {data, data + bytes.size()};
}

class Launcher {
 public:
  Launcher(const nb::bytes& code, const std::string& name, unsigned jobs, const std::string& checks,
           bool all_instructions, const std::string& search_path) {
    session::EngineOptions options;
    options.jobs = jobs;
    options.checks = checks;
    options.all_instructions = all_instructions;
    options.search_path = search_path;
    code_ = bytes_of(code);  // images point into it
    nb::gil_scoped_release others_may_run;
    auto launcher = KernelLauncher::load(code_, name, options);
    if (!launcher) refuse(launcher.error());
    launcher_ = std::make_unique<KernelLauncher>(std::move(*launcher));
  }

  /// Symbol, and bytes of each parameter.
  std::tuple<std::string, std::vector<std::uint32_t>> kernel(const std::string& name) const {
    const auto found = launcher_->kernel(name);
    if (!found) refuse(found.error());
    return {found->symbol, found->parameter_bytes};
  }

  /// An argument is bytes (a value), a bytearray (a buffer, which the kernel's result replaces) or a pair (argument, offset in bytes). Returns
  /// the exit code, the report as JSON and as text, and what the kernel printed.
  std::tuple<int, std::string, std::string, std::string> launch(
      const std::string& kernel, std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
      std::array<std::uint32_t, 3> cluster, std::uint32_t shared, bool cooperative, const nb::list& arguments,
      const std::string& source_root) {
    session::KernelLaunch launch{kernel, grid, block, cluster, shared, cooperative, {}};
    for (const nb::handle argument : arguments) launch.arguments.push_back(argument_of(argument));
    auto result = launched(launch, source_root);
    if (!result) refuse(result.error());
    for (std::size_t i = 0; i < result->buffers.size(); ++i)
      if (launch.arguments[i].kind == KernelArgument::Kind::buffer) {
        const auto target = nb::cast<nb::bytearray>(arguments[i]);
        std::copy(result->buffers[i].begin(), result->buffers[i].end(),
                  static_cast<std::byte*>(const_cast<void*>(target.data())));
      }
    const int exit_code = session::exit_code(result->report, session::Gate{});
    return {exit_code, report::write_json(result->report, {false, true, true}),
            report::write_text(result->report, {120, false, exit_code}), result->printed};
  }

 private:
  static KernelArgument argument_of(nb::handle argument) {
    if (nb::isinstance<nb::bytes>(argument))
      return {KernelArgument::Kind::value, bytes_of(nb::cast<nb::bytes>(argument)), 0, 0};
    if (nb::isinstance<nb::bytearray>(argument)) {
      const auto content = nb::cast<nb::bytearray>(argument);
      const auto* data = static_cast<const std::byte*>(content.data());
      return KernelArgument::buffer({data, data + content.size()});
    }
    const auto [of, offset_bytes] = nb::cast<std::tuple<std::size_t, std::uint64_t>>(argument);
    return KernelArgument::same_as(of, offset_bytes);
  }

  Result<session::KernelResult> launched(const session::KernelLaunch& launch, const std::string& source_root) {
    nb::gil_scoped_release others_may_run;
    return launcher_->launch(launch, source_root);
  }

  std::vector<std::byte> code_;
  std::unique_ptr<KernelLauncher> launcher_;
};

}  // namespace

void add_launch(nb::module_& module) {
  nb::class_<Launcher>(module, "Launcher")
      .def(nb::init<const nb::bytes&, const std::string&, unsigned, const std::string&, bool, const std::string&>(),
           "code"_a, "name"_a, "jobs"_a, "checks"_a, "all_instructions"_a, "search_path"_a)
      .def("kernel", &Launcher::kernel, "name"_a)
      .def("launch", &Launcher::launch, "kernel"_a, "grid"_a, "block"_a, "cluster"_a, "shared"_a, "cooperative"_a,
           "arguments"_a, "source_root"_a);
}

}  // namespace lanebank::python
