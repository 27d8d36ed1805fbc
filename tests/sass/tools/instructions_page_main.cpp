// Prints docs/instructions.md.
#include <cstdio>

#include "tools/instructions_page.hpp"

int main() { std::fputs(lanebank::sass::instructions_page().c_str(), stdout); }
