#include "checks/cure.hpp"
namespace lanebank::checks {
void find_cures(ConflictReport&, const std::vector<SharedArray>&) {}
}  // namespace lanebank::checks
