#include "lanebank/commands.hpp"

int main(int argc, char** argv) { return lanebank::tools::run_command_line(argc, argv); }
