#include "image/shared_arrays.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>

#include "image/demangle.hpp"
#include "image/ptx.hpp"

namespace lanebank::image {
namespace {

constexpr std::uint64_t first_shared_address_bytes = 0x400;  // where reserved memory exists
constexpr std::uint32_t least_dynamic_alignment_bytes = 16;
constexpr std::uint32_t natural_alignment_limit_bytes = 8;
constexpr std::uint32_t element_limit_bytes = 16;
constexpr std::size_t array_limit = 1024;       // per kernel; more is no program that a person wrote
constexpr std::size_t work_limit = 64'000'000;  // steps and bytes of names, over all kernels of a cubin
constexpr std::size_t array_cost = 64;

std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Arrays of at most 8 bytes alignment have that of their element. Alignment above may have been asked
/// for (`__align__(16) float ...`): then the narrowest access tells.
std::uint32_t element_bytes(const PtxArray& array) {
  if (array.element_bytes > 1) return array.element_bytes;
  if (array.alignment_bytes <= natural_alignment_limit_bytes) return array.alignment_bytes;
  std::uint32_t limit = std::min(array.alignment_bytes, element_limit_bytes);
  while (limit > 1 && array.size_bytes % limit != 0) limit /= 2;
  return array.narrowest_access_bytes == 0 ? limit : std::min(array.narrowest_access_bytes, limit);
}

SharedArray describe(const PtxArray& array, std::uint64_t offset_bytes) {
  SharedArray result;
  result.name = source_name(array.name);
  result.symbol = array.name;
  result.offset_bytes = std::uint32_t(offset_bytes);
  result.size_bytes = std::uint32_t(array.size_bytes);
  result.element_bytes = element_bytes(array);
  result.alignment_bytes = array.alignment_bytes;
  result.dynamic = array.is_extern;
  return result;
}

/// What one kernel uses, in the order of the text.
struct Use {
  std::vector<const PtxArray*> own, of_module, of_functions, dynamic;

  /// What describing the arrays costs; nothing when they are too many.
  std::optional<std::size_t> cost() const {
    std::size_t total = 0;
    if (own.size() + of_module.size() + of_functions.size() + dynamic.size() > array_limit) return std::nullopt;
    for (const auto* list : {&own, &of_module, &of_functions, &dynamic})
      for (const PtxArray* array : *list) total += array_cost + array->name.size();
    return total;
  }
  std::vector<const PtxArray*> all_static() const {
    std::vector<const PtxArray*> all = own;
    all.insert(all.end(), of_module.begin(), of_module.end());
    all.insert(all.end(), of_functions.begin(), of_functions.end());
    return all;
  }
};

class ModuleIndex {
 public:
  explicit ModuleIndex(const PtxModule& module) : module_(module) {
    for (std::size_t i = 0; i < module.functions.size(); ++i) functions_.try_emplace(module.functions[i].name, i);
    for (std::size_t i = 0; i < module.arrays.size(); ++i) arrays_.try_emplace(module.arrays[i].name, i);
    for (const PtxArray& array : module.arrays)
      if (array.is_extern)
        extern_alignment_bytes_ =
            std::max({extern_alignment_bytes_, array.alignment_bytes, least_dynamic_alignment_bytes});
  }

  /// False when `work` is used up.
  bool use_of(const PtxFunction& entry, Use& use, std::size_t& work) const {
    std::vector<bool> function_reached(module_.functions.size()), array_used(module_.arrays.size());
    if (work < function_reached.size() + array_used.size()) return false;
    work -= function_reached.size() + array_used.size();
    std::vector<const PtxFunction*> open = {&entry};
    auto reach = [&](std::string_view name) {
      if (auto array = arrays_.find(name); array != arrays_.end()) array_used[array->second] = true;
      auto function = functions_.find(name);
      if (function == functions_.end() || function_reached[function->second]) return;
      function_reached[function->second] = true;
      open.push_back(&module_.functions[function->second]);
    };
    while (!open.empty()) {
      const PtxFunction& function = *open.back();
      open.pop_back();
      std::size_t cost =
          function.mentioned.size() + (function.has_indirect_call ? module_.address_taken.size() : 0) + 1;
      if (work < cost) return false;
      work -= cost;
      for (std::string_view name : function.mentioned) reach(name);
      if (function.has_indirect_call)
        for (std::string_view name : module_.address_taken) reach(name);
    }
    auto sort_in = [&](const PtxArray& array, std::vector<const PtxArray*>& place) {
      (array.is_extern ? use.dynamic : place).push_back(&array);
    };
    for (const PtxArray& array : entry.arrays) sort_in(array, use.own);
    for (std::size_t i = 0; i < array_used.size(); ++i)
      if (array_used[i]) sort_in(module_.arrays[i], use.of_module);
    for (std::size_t i = 0; i < function_reached.size(); ++i)
      if (function_reached[i] && &module_.functions[i] != &entry)
        for (const PtxArray& array : module_.functions[i].arrays) sort_in(array, use.of_functions);
    return true;
  }

  const PtxFunction* entry(std::string_view name) const {
    auto found = functions_.find(name);
    return found == functions_.end() || !module_.functions[found->second].is_entry ? nullptr
                                                                                   : &module_.functions[found->second];
  }
  std::uint32_t extern_alignment_bytes() const { return extern_alignment_bytes_; }

 private:
  const PtxModule& module_;
  std::unordered_map<std::string_view, std::size_t> functions_, arrays_;
  std::uint32_t extern_alignment_bytes_ = 1;
};

/// Places arrays one after the other from `start_bytes`, the address of the first static byte. Gives the
/// end, or nothing when an alignment is impossible or the end runs over `limit_bytes`.
std::optional<std::uint64_t> place(const std::vector<const PtxArray*>& order, std::uint64_t start_bytes,
                                   std::uint64_t limit_bytes, std::vector<SharedArray>& arrays) {
  std::uint64_t end = start_bytes;
  for (const PtxArray* array : order) {
    if (!std::has_single_bit(array->alignment_bytes)) return std::nullopt;
    std::uint64_t offset = round_up(end, array->alignment_bytes);
    end = offset + array->size_bytes;
    if (end > start_bytes + limit_bytes) return std::nullopt;
    arrays.push_back(describe(*array, offset - start_bytes));
  }
  return end;
}

/// The order of nvlink, or nothing where the PTX does not determine it.
std::optional<std::vector<const PtxArray*>> nvlink_order(const Use& use) {
  std::vector<const PtxArray*> order = use.all_static();
  if (order.size() > 1 && order.size() != use.own.size()) return std::nullopt;
  auto rank_before = [](const PtxArray* a, const PtxArray* b) {
    return a->alignment_bytes != b->alignment_bytes ? a->alignment_bytes > b->alignment_bytes
                                                    : a->size_bytes < b->size_bytes;
  };
  std::stable_sort(order.begin(), order.end(), rank_before);
  for (std::size_t i = 1; i < order.size(); ++i)
    if (!rank_before(order[i - 1], order[i])) return std::nullopt;
  return order;
}

/// Places the static arrays by the order of ptxas or nvlink. False when the end is not the recorded size.
bool place_static(Function& kernel, const Use& use, std::uint32_t extern_alignment_bytes, std::uint64_t start_bytes,
                  bool by_nvlink) {
  std::vector<const PtxArray*> order = use.all_static();
  std::uint32_t end_alignment_bytes = extern_alignment_bytes;
  if (by_nvlink) {
    auto found = nvlink_order(use);
    if (!found) return false;
    order = std::move(*found);
    end_alignment_bytes = use.dynamic.empty() ? 1 : least_dynamic_alignment_bytes;
  }
  if (!std::has_single_bit(end_alignment_bytes)) return false;
  std::vector<SharedArray> arrays;
  auto end = place(order, start_bytes, kernel.static_shared_bytes, arrays);
  if (!end || round_up(*end, end_alignment_bytes) - start_bytes != kernel.static_shared_bytes) return false;
  kernel.arrays = std::move(arrays);
  return true;
}

/// Arrays with symbols get alignment and element from the PTX; those that several kernels share get their
/// place from `of_several`. False when one stays without a place.
bool complete_from_ptx(Function& kernel, const Use& use,
                       const std::unordered_map<std::string_view, SharedArray>& of_several) {
  std::unordered_map<std::string, std::size_t> placed;
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) placed.try_emplace(kernel.arrays[i].symbol, i);
  for (const PtxArray* array : use.all_static()) {
    auto found = placed.find(std::string(array->name));
    if (found == placed.end()) {
      auto shared = of_several.find(array->name);
      if (shared == of_several.end()) return false;
      if (!fits(shared->second.offset_bytes, shared->second.size_bytes, kernel.static_shared_bytes)) return false;
      found = placed.try_emplace(shared->second.symbol, kernel.arrays.size()).first;
      kernel.arrays.push_back(shared->second);
    }
    kernel.arrays[found->second].alignment_bytes = array->alignment_bytes;
    kernel.arrays[found->second].element_bytes = element_bytes(*array);
  }
  return true;
}

void arrange(Function& kernel, const Use& use, std::uint32_t extern_alignment_bytes, std::uint64_t start_bytes,
             bool by_nvlink, const std::unordered_map<std::string_view, SharedArray>& of_several) {
  bool has_symbols = kernel.arrays_known || !of_several.empty();
  kernel.arrays_known = false;
  bool placed = has_symbols ? complete_from_ptx(kernel, use, of_several)
                            : place_static(kernel, use, extern_alignment_bytes, start_bytes, by_nvlink);
  if (!placed) return;
  for (const PtxArray* array : use.dynamic) kernel.arrays.push_back(describe(*array, kernel.static_shared_bytes));
  kernel.arrays_known = true;
}

/// The modules that nvlink joined, as one. Functions that one module only declares come from another.
PtxModule joined(std::vector<PtxModule> modules) {
  PtxModule all;
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (PtxModule& module : modules) {
    all.arrays.insert(all.arrays.end(), module.arrays.begin(), module.arrays.end());
    all.address_taken.insert(all.address_taken.end(), module.address_taken.begin(), module.address_taken.end());
    for (PtxFunction& function : module.functions) {
      auto [place, is_new] = numbers.try_emplace(function.name, all.functions.size());
      if (is_new) {
        all.functions.push_back(std::move(function));
      } else if (function.has_body && !all.functions[place->second].has_body) {
        all.functions[place->second] = std::move(function);
      }
    }
  }
  return all;
}

/// nvlink leaves its name in the first tool note, and relocations that only the loader can resolve.
bool linked_by_nvlink(const Elf& elf) {
  for (const ElfSection& section : elf.sections) {
    if (section.name == ".nv.prototype") return true;
    if (section.name != ".note.nv.tkinfo") continue;
    std::string_view note(reinterpret_cast<const char*>(section.bytes.data()), section.bytes.size());
    if (note.find("nvlink") != std::string_view::npos) return true;
  }
  return false;
}

/// "_ZZ1kPiE1a" from "$___ZZ1kPiE1a__30", as ptxas writes local symbols that it keeps on request.
std::string_view plain_symbol(std::string_view symbol) {
  constexpr std::string_view prefix = "$__";
  std::size_t last = symbol.find_last_not_of("0123456789");
  bool wrapped = symbol.starts_with(prefix) && last != std::string_view::npos && last + 1 < symbol.size() &&
                 last > prefix.size() && symbol.substr(last - 1, 2) == "__";
  return wrapped ? symbol.substr(prefix.size(), last - 1 - prefix.size()) : symbol;
}

/// Debug builds (-G) keep a symbol for each array, with its place: in the section of its kernel, or in one
/// for those of several kernels, which are given back by symbol.
std::unordered_map<std::string_view, SharedArray> take_symbols(const Elf& elf,
                                                               const std::vector<ClassifiedSection>& roles,
                                                               std::uint64_t start_bytes, Cubin& cubin) {
  std::unordered_map<std::string_view, SharedArray> of_several;
  for (const ElfSymbol& symbol : elf.symbols) {
    if (symbol.type != ElfSymbol::object || symbol.section >= roles.size() || symbol.size_bytes == 0) continue;
    bool of_kernel = roles[symbol.section].role == SectionRole::shared;
    if (!of_kernel && elf.sections[symbol.section].name != ".nv_debug.shared") continue;
    if (symbol.value < start_bytes || !fits(symbol.value - start_bytes, symbol.size_bytes, UINT32_MAX)) continue;
    SharedArray array;
    array.symbol = plain_symbol(symbol.name);
    array.name = source_name(array.symbol);
    array.offset_bytes = std::uint32_t(symbol.value - start_bytes);
    array.size_bytes = std::uint32_t(symbol.size_bytes);
    array.alignment_bytes = array.offset_bytes == 0 ? 1 : array.offset_bytes & -array.offset_bytes;
    array.element_bytes = std::min(array.alignment_bytes, element_limit_bytes);
    if (!of_kernel) {
      of_several.try_emplace(plain_symbol(symbol.name), std::move(array));
      continue;
    }
    Function& kernel = cubin.functions[roles[symbol.section].function];
    if (fits(array.offset_bytes, array.size_bytes, kernel.static_shared_bytes))
      kernel.arrays.push_back(std::move(array));
  }
  for (Function& kernel : cubin.functions) kernel.arrays_known = !kernel.arrays.empty() && of_several.empty();
  return of_several;
}

}  // namespace

void find_shared_arrays(const Elf& elf, const std::vector<ClassifiedSection>& roles, std::string_view ptx,
                        Cubin& cubin) {
  std::uint64_t start = cubin.architecture >= first_architecture_with_reserved_shared ? first_shared_address_bytes : 0;
  bool by_nvlink = linked_by_nvlink(elf);
  std::size_t work = work_limit;
  auto of_several = take_symbols(elf, roles, start, cubin);
  std::unordered_map<std::string_view, Function*> kernels;
  for (Function& function : cubin.functions)
    if (function.kernel) kernels.try_emplace(function.symbol, &function);
  std::vector<PtxModule> modules = scan_ptx(ptx);
  if (by_nvlink) modules = {joined(std::move(modules))};
  for (const PtxModule& module : modules) {
    ModuleIndex index(module);
    for (const PtxFunction& entry : module.functions) {
      auto found = entry.is_entry ? kernels.find(entry.name) : kernels.end();
      if (found == kernels.end()) continue;
      Use use;
      bool affordable = index.use_of(entry, use, work);
      std::optional<std::size_t> cost = use.cost();
      affordable = affordable && cost && *cost <= work;
      work -= affordable ? *cost : 0;
      if (affordable) arrange(*found->second, use, index.extern_alignment_bytes(), start, by_nvlink, of_several);
      kernels.erase(found);
    }
  }
  for (Function& function : cubin.functions)
    std::stable_sort(function.arrays.begin(), function.arrays.end(), [](const SharedArray& a, const SharedArray& b) {
      return a.dynamic != b.dynamic ? b.dynamic : a.offset_bytes < b.offset_bytes;
    });
}

std::string source_name(std::string_view symbol) {
  std::string name = demangled(symbol);
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    char c = name[i];
    if (c == '>' || c == ')' || c == ']') ++depth;
    if (c == '<' || c == '(' || c == '[') --depth;
    if (depth == 0 && c == ':') return name.substr(i + 1);
  }
  return name;
}

}  // namespace lanebank::image
