#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "commands.hpp"
#include "doctor.hpp"

namespace lanebank::tools {

void add_doctor(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("doctor", "what of lanebank, CUDA and a GPU is on this machine, and what that enables");
  auto arguments = std::make_shared<DoctorArguments>();
  command->add_option("--json", arguments->json, "lanebank.doctor/1 to FILE; - is standard output, instead of the text")
      ->type_name("FILE");
  command->add_option("--limit", arguments->limit_seconds, "how long a program may take to answer")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  lanebank doctor                        for a person, on stdout\n"
      "  lanebank doctor --json doctor.json     for a bug report or a script\n"
      "  lanebank doctor --limit 60             where the driver takes long to wake up\n"
      "Exit code: 0 where `lanebank run` can work, whatever else is absent (it needs neither CUDA nor a GPU);\n"
      "122 where it cannot; 125 when the answer cannot be written.");
  command->callback([arguments, &invocation] {
    DoctorPlaces places = DoctorPlaces::of_this_machine();
    places.limit = std::chrono::milliseconds(static_cast<long>(arguments->limit_seconds * 1000));
    invocation.exit_code = run_doctor(*arguments, places, std::cout, std::cerr);
  });
}

}  // namespace lanebank::tools
