#include "session/kernel_choice.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <regex>

#include "base/words.hpp"
#include "session/kernel_name.hpp"

namespace lanebank::session {
namespace {

constexpr std::size_t most_listed = 20;

/// Without blanks and casts of literals: "tr<(int)0, (bool)1>" and "tr<0,true>" are "tr<0,1>".
std::string normal(std::string_view name) {
  static const std::regex cast(R"(\((bool|char|(un)?signed char|(unsigned )?(short|int|long|long long))\)(?=[-0-9]))");
  static const std::regex yes(R"([<,]true\b)"), no(R"([<,]false\b)");
  std::string text = std::regex_replace(std::string(name), cast, "");
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  for (const auto& [word, digit] : {std::pair(&yes, '1'), std::pair(&no, '0')})
    for (std::smatch found; std::regex_search(text, found, *word);)
      text = found.prefix().str() + found.str().front() + digit + found.suffix().str();
  return text;
}

/// Every way to say it in full.
std::vector<std::string> spellings(const std::string& symbol) {
  const KernelName name = kernel_name(symbol);
  std::string signature = name.full;
  if (signature.starts_with("void ")) signature.erase(0, 5);
  const std::string title = kernel_title(name.full);
  std::vector<std::string> all = {symbol, normal(name.full), normal(signature), normal(title), name.base};
  if (const std::size_t at = signature.find(title); at != std::string::npos) {
    all.push_back(normal(signature.substr(at)));
    all.push_back(normal(signature.substr(0, at + title.size())));
  }
  return all;
}

struct Named {
  std::uint32_t function = 0;
  std::string name;
  std::vector<std::string> spellings;
};

std::string listed(const std::vector<const Named*>& kernels) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kernels.size(), most_listed); ++i) text += "\n    " + kernels[i]->name;
  if (kernels.size() > most_listed) text += "\n    and " + std::to_string(kernels.size() - most_listed) + " more";
  return text;
}

}  // namespace

std::vector<KernelSignature> signatures_of(const image::Cubin& cubin) {
  std::vector<KernelSignature> all;
  for (const image::Function& function : cubin.functions) {
    if (!function.kernel) continue;
    KernelSignature one{function.symbol,    kernel_name(function.symbol).full, {}, function.static_shared_bytes,
                        function.registers, function.max_threads_per_block};
    for (const image::Parameter& parameter : function.parameters) one.parameter_bytes.push_back(parameter.size_bytes);
    all.push_back(std::move(one));
  }
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return std::tie(a.name, a.symbol) < std::tie(b.name, b.symbol); });
  return all;
}

Result<std::uint32_t> choose_kernel(const image::Cubin& cubin, std::string_view name) {
  std::vector<Named> kernels;
  for (std::uint32_t i = 0; i < cubin.functions.size(); ++i)
    if (cubin.functions[i].kernel)
      kernels.push_back({i, kernel_name(cubin.functions[i].symbol).full, spellings(cubin.functions[i].symbol)});
  std::sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.name < b.name; });

  const std::string wanted = normal(name);
  std::vector<const Named*> all, exact, beginning;
  for (const Named& kernel : kernels) {
    all.push_back(&kernel);
    const auto any = [&](const auto& test) {
      return std::any_of(kernel.spellings.begin(), kernel.spellings.end(), test);
    };
    if (any([&](const std::string& spelling) { return spelling == wanted; })) exact.push_back(&kernel);
    if (any([&](const std::string& spelling) { return spelling.starts_with(wanted); })) beginning.push_back(&kernel);
  }
  const auto& found = exact.empty() ? beginning : exact;
  if (found.size() == 1) return found.front()->function;
  const std::string asked = "'" + std::string(name) + "'";
  if (all.empty()) return fail("kernel.missing", asked, "the machine code holds no kernel");
  if (found.empty()) return fail("kernel.missing", asked, "no kernel is called so; there are:" + listed(all));
  if (name.empty()) return fail("kernel.ambiguous", "", "there are several kernels:" + listed(found), "Name one.");
  return fail("kernel.ambiguous", asked, "may mean several kernels:" + listed(found), "Name one in full.");
}

}  // namespace lanebank::session
