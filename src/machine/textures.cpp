#include "machine/textures.hpp"

#include <algorithm>

namespace lanebank::machine {
namespace {

constexpr std::size_t handles = std::size_t{1} << 20;

}  // namespace

std::uint32_t Textures::create(const TextureObject& object) {
  std::lock_guard lock(mutex_);
  auto table = std::make_shared<Table>(*table_);
  auto free = std::find_if(table->begin() + 1, table->end(),
                           [](const TextureObject& other) { return other.kind == TextureObject::Kind::none; });
  if (free == table->end()) {
    if (table->size() == handles) return 0;
    table->emplace_back();
    free = table->end() - 1;
  }
  *free = object;
  const auto handle = static_cast<std::uint32_t>(free - table->begin());
  table_ = std::move(table);
  return handle;
}

bool Textures::destroy(std::uint32_t handle, TextureObject::Kind kind) {
  std::lock_guard lock(mutex_);
  if (handle >= table_->size() || kind == TextureObject::Kind::none || (*table_)[handle].kind != kind) return false;
  auto table = std::make_shared<Table>(*table_);
  (*table)[handle] = {};
  table_ = std::move(table);
  return true;
}

std::shared_ptr<const Textures::Table> Textures::snapshot() const {
  std::lock_guard lock(mutex_);
  return table_;
}

}  // namespace lanebank::machine
