#include "session/code_choice.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace lanebank::session {

using image::FatbinEntry;

namespace {

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); i++)
    text += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  return text;
}

std::string target(const FatbinEntry& entry) {
  return std::to_string(entry.architecture) + (entry.architecture_specific ? "a" : entry.family_specific ? "f" : "");
}

}  // namespace

bool is_executable(unsigned architecture) {
  return std::find(std::begin(architectures), std::end(architectures), architecture) != std::end(architectures);
}

const FatbinEntry* choose_cubin(const Entries& entries, unsigned architecture) {
  const FatbinEntry* best = nullptr;
  for (const FatbinEntry& entry : entries) {
    if (entry.kind != FatbinEntry::Kind::cubin || !is_executable(entry.architecture)) continue;
    if (entry.architecture / 10 != architecture / 10 || entry.architecture > architecture) continue;
    if (entry.architecture_specific && entry.architecture != architecture) continue;
    const bool better = !best || entry.architecture > best->architecture ||
                        (entry.architecture == best->architecture && entry.architecture_specific);
    if (better) best = &entry;
  }
  return best;
}

const FatbinEntry* choose_ptx(const Entries& entries, unsigned architecture) {
  const FatbinEntry* best = nullptr;
  for (const FatbinEntry& entry : entries) {
    if (entry.kind != FatbinEntry::Kind::ptx || entry.architecture > architecture) continue;
    if ((entry.architecture_specific || entry.family_specific) && entry.architecture != architecture) continue;
    if (!best || entry.architecture > best->architecture) best = &entry;
  }
  return best;
}

unsigned choose_architecture(const std::vector<const Entries*>& fatbins) {
  std::set<unsigned, std::greater<>> embedded;
  for (const Entries* entries : fatbins)
    for (const FatbinEntry& entry : *entries)
      if (entry.kind == FatbinEntry::Kind::cubin && is_executable(entry.architecture))
        embedded.insert(entry.architecture);
  auto all_run_on = [&](unsigned architecture, bool with_ptx) {
    return std::all_of(fatbins.begin(), fatbins.end(), [&](const Entries* entries) {
      return entries->empty() || choose_cubin(*entries, architecture) ||
             (with_ptx && choose_ptx(*entries, architecture));
    });
  };
  for (bool with_ptx : {false, true})
    for (unsigned architecture : embedded)
      if (all_run_on(architecture, with_ptx)) return architecture;
  return embedded.empty() ? 90 : *embedded.begin();
}

std::string offer(const Entries& entries) {
  std::vector<std::string> items;
  for (const FatbinEntry& entry : entries)
    items.push_back((entry.kind == FatbinEntry::Kind::cubin ? "sm_" : "PTX for compute_") + target(entry));
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  return items.empty() ? "no code" : joined(items);
}

std::string nvcc_flag(unsigned architecture) {
  const std::string number = std::to_string(architecture);
  return "-gencode arch=compute_" + number + ",code=sm_" + number;
}

}  // namespace lanebank::session
