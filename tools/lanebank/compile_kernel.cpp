#include "compile_kernel.hpp"

#include <unistd.h>
#include <wordexp.h>

#include <algorithm>
#include <filesystem>

#include "child.hpp"
#include "fix_copy.hpp"
#include "observed_run.hpp"
#include "output.hpp"
#include "program_file.hpp"

namespace lanebank::tools {
namespace {

constexpr const char* usual_folder = "/usr/local/cuda/bin";

Result<std::string> find_nvcc(const Compiler& with) {
  const std::string name = with.nvcc.empty() ? "nvcc" : with.nvcc;
  const std::string folders = variable_or_empty("PATH") + (with.nvcc.empty() ? std::string(":") + usual_folder : "");
  if (auto found = find_program(name, folders)) return found->path;
  return fail("nvcc.missing", name, "is not here, and a .cu file needs it",
              "Name it with --nvcc PATH, or give a cubin: nvcc -cubin -arch=sm_90 -lineinfo kernel.cu");
}

Result<std::vector<std::string>> words_of(const std::string& text) {
  wordexp_t words;
  if (::wordexp(text.c_str(), &words, WRDE_NOCMD) != 0)
    return fail("nvcc.arguments", "--nvcc-args", "'" + text + "' are no words of a shell", "Check its quotes.");
  std::vector<std::string> result(words.we_wordv, words.we_wordv + words.we_wordc);
  ::wordfree(&words);
  return result;
}

/// Whether the user's words choose what code is made.
bool names_target(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.starts_with("-arch") || word.starts_with("--gpu-arch") || word.starts_with("-gencode") ||
           word.starts_with("--generate-code");
  });
}

/// A file that instantiates a template of another one.
Result<void> write_instance(const std::string& path, const std::string& source, const std::string& instance) {
  std::error_code ignored;
  return write_text(path, "#include \"" + std::filesystem::absolute(source, ignored).string() +
                              "\"\nvoid* lanebank_instance() { return reinterpret_cast<void*>(&" + instance + "); }\n");
}

}  // namespace

Result<std::vector<std::byte>> compile_kernel(const std::string& source, const Compiler& with,
                                              const std::string& instance) {
  const auto nvcc = find_nvcc(with);
  if (!nvcc) return tl::unexpected(nvcc.error());
  const auto words = words_of(with.arguments);
  if (!words) return tl::unexpected(words.error());
  auto folder = TemporaryFolder::make(with.temporary_folder);
  if (!folder) return tl::unexpected(folder.error());
  const std::string cubin = folder->path() + "/kernel.cubin", wrapper = folder->path() + "/instance.cu";
  if (!instance.empty())
    if (auto written = write_instance(wrapper, source, instance); !written) return tl::unexpected(written.error());
  std::vector<std::string> command = {"nvcc", "-cubin", "-lineinfo"};
  if (!names_target(*words))
    command.push_back("-arch=sm_" + std::to_string(with.architecture == 0 ? 90 : with.architecture));
  command.insert(command.end(), words->begin(), words->end());
  command.insert(command.end(), {instance.empty() ? source : wrapper, "-o", cubin});
  const auto end = run_child(*nvcc, command, changed_environment(environ, {}));
  if (!end) return tl::unexpected(end.error());
  if (end->exit_code != 0)
    return fail("nvcc.failed", source, "nvcc ended with " + std::to_string(end->exit_code),
                "Its messages stand above.");
  const auto content = content_of(cubin);
  if (!content) return tl::unexpected(content.error());
  const auto* first = reinterpret_cast<const std::byte*>(content->data());
  return std::vector<std::byte>(first, first + content->size());
}

}  // namespace lanebank::tools
