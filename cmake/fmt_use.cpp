// Uses of fmt that fmt_once.cpp must be enough for, or linking this fails.
#include <fmt/format.h>

int main() {
  return fmt::format("{:>10.3f} {:L} {} {:#x} {} {:<{}}", 1.5, 1234567, "x", 255u, 0.1f, true, 9).empty() ? 1 : 0;
}
