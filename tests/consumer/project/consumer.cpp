#include <lanebank/bank_model.hpp>
#include <lanebank/layout.hpp>
#include <lanebank/proofs.hpp>
#include <lanebank/tile.hpp>

constexpr auto column = lanebank::strided_access(lanebank::AccessKind::load, 4, 128);
static_assert(lanebank::cost(column).wavefronts == 32);

using Layout = lanebank::Xor<float, 32, 32>;
static_assert(lanebank::conflict_free<Layout, lanebank::patterns::row<>, lanebank::patterns::column<>>);
static_assert(sizeof(lanebank::SharedTile<Layout>) == 4096);

int main() { return lanebank::cost(column).ideal == 1 ? 0 : 1; }
