#include <lanebank/bank_model.hpp>

constexpr auto column = lanebank::strided_access(lanebank::AccessKind::load, 4, 128);
static_assert(lanebank::cost(column).wavefronts == 32);

int main() { return lanebank::cost(column).ideal == 1 ? 0 : 1; }
