#include "program_file.hpp"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

namespace lanebank::tools {
namespace {

constexpr std::size_t most_headers = 1024, most_entries = 65536, longest_name = 4096;

/// Reads structures at file offsets; false past the end.
class Reader {
 public:
  explicit Reader(const std::string& path) : stream_(path, std::ios::binary) {}
  template <class T>
  bool read(std::uint64_t offset, T& value) {
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(reinterpret_cast<char*>(&value), sizeof value);
    return static_cast<bool>(stream_);
  }
  std::string text(std::uint64_t offset) {
    std::string result;
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    for (int c; result.size() < longest_name && (c = stream_.get()) > 0;) result += static_cast<char>(c);
    return result;
  }

 private:
  std::ifstream stream_;
};

/// The names of DT_NEEDED entries. Damaged tables give fewer names: the loader will complain.
std::vector<std::string> needed_libraries(Reader& file, const std::vector<Elf64_Phdr>& headers) {
  const auto dynamic = std::find_if(headers.begin(), headers.end(), [](auto& h) { return h.p_type == PT_DYNAMIC; });
  if (dynamic == headers.end()) return {};
  std::vector<std::uint64_t> names;
  std::uint64_t strings = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(most_entries, dynamic->p_filesz / sizeof(Elf64_Dyn)); i++) {
    Elf64_Dyn entry;
    if (!file.read(dynamic->p_offset + i * sizeof entry, entry) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
  }
  for (const Elf64_Phdr& load : headers) {
    if (load.p_type != PT_LOAD || strings < load.p_vaddr || strings - load.p_vaddr >= load.p_filesz) continue;
    std::vector<std::string> result;
    for (std::uint64_t name : names) result.push_back(file.text(strings - load.p_vaddr + load.p_offset + name));
    return result;
  }
  return {};
}

Result<void> read_headers(ProgramFile& program) {
  Reader file(program.path);
  Elf64_Ehdr header{};
  if (!file.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  program.is_elf = true;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64)
    return fail("program.machine", program.path, "is no 64-bit x86 program", "lanebank runs on x86-64 only.");
  std::vector<Elf64_Phdr> headers;
  for (std::size_t i = 0; i < std::min<std::size_t>(header.e_phnum, most_headers); i++) {
    Elf64_Phdr entry;
    if (!file.read(header.e_phoff + i * sizeof entry, entry)) break;
    headers.push_back(entry);
  }
  program.is_static = std::none_of(headers.begin(), headers.end(), [](auto& h) { return h.p_type == PT_INTERP; });
  program.needed = needed_libraries(file, headers);
  return {};
}

}  // namespace

bool ProgramFile::needs(const std::string& library) const {
  return std::find(needed.begin(), needed.end(), library) != needed.end();
}

Result<ProgramFile> find_program(const std::string& name, const std::string& search_path) {
  ProgramFile program;
  struct stat status {};
  if (name.find('/') != std::string::npos) {
    program.path = name;
  } else {
    for (std::size_t begin = 0; begin <= search_path.size() && program.path.empty();) {
      const std::size_t end = std::min(search_path.find(':', begin), search_path.size());
      const std::string candidate = (end == begin ? "." : search_path.substr(begin, end - begin)) + "/" + name;
      if (::stat(candidate.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(candidate.c_str(), X_OK) == 0)
        program.path = candidate;
      begin = end + 1;
    }
    if (program.path.empty())
      return fail("program.missing", name, "no such program on PATH",
                  ::access(name.c_str(), F_OK) == 0 ? "For the file of this folder write ./" + name + "." : "");
  }
  if (::stat(program.path.c_str(), &status) != 0)
    return fail("program.missing", name, std::string("cannot be run: ") + std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return fail("program.folder", name, "is a folder, not a program");
  if (::access(program.path.c_str(), X_OK) != 0)
    return fail("program.mode", name, std::string("cannot be run: ") + std::strerror(errno),
                "Is it the program that you built? `chmod +x` makes a file executable.");
  program.changes_user = (status.st_mode & (S_ISUID | S_ISGID)) != 0 && ::geteuid() != status.st_uid;
  if (auto result = read_headers(program); !result) return tl::unexpected(result.error());
  return program;
}

}  // namespace lanebank::tools
