// Code that a program loads at run time: a fatbin, a cubin, or PTX text, from memory or a file.
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "cudart/calls.hpp"
#include "cudart/libraries.hpp"
#include "cudart/process.hpp"
#include "image/code_file.hpp"

namespace lanebank::cudart::abi {

struct LibraryTag {
  std::size_t fatbin = 0;
  std::vector<std::byte> bytes;  ///< what the engine reads; it must stay
  std::map<std::string, std::shared_ptr<lanebank::cudart::Kernel>> kernels;
};

}  // namespace lanebank::cudart::abi

namespace lanebank::cudart {
namespace {

std::string& load_message() {
  static thread_local std::string message;
  return message;
}

}  // namespace

const std::string& last_load_message() { return load_message(); }

namespace calls {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint32_t fatbin_magic = 0xba55ed50, wrapper_magic = 0x466243b1;

struct Libraries {
  std::mutex mutex;
  std::map<Library, std::unique_ptr<LibraryTag>> all;
};
Libraries& libraries() {
  static Libraries* const all = new Libraries;
  return *all;
}

LibraryTag* find(Library library) {
  auto found = libraries().all.find(library);
  return found == libraries().all.end() ? nullptr : found->second.get();
}

std::uint32_t first_word(const void* data) {
  std::uint32_t word;
  std::memcpy(&word, data, sizeof word);
  return word;
}

bool is_elf(const void* data) { return std::memcmp(data, ELFMAG, SELFMAG) == 0; }

/// Bytes of the ELF file that begins at `data`, by its own headers; nothing when they lead beyond `limit`.
std::optional<std::size_t> elf_bytes(const void* data, std::size_t limit) {
  Elf64_Ehdr header;
  if (limit < sizeof header) return std::nullopt;
  std::memcpy(&header, data, sizeof header);
  const std::size_t sections = std::size_t{header.e_shnum} * header.e_shentsize,
                    segments = std::size_t{header.e_phnum} * header.e_phentsize;
  if (sections > limit || header.e_shoff > limit - sections || segments > limit || header.e_phoff > limit - segments)
    return std::nullopt;
  const auto* first = static_cast<const std::byte*>(data);
  std::size_t end = std::max<std::size_t>({sizeof header, header.e_shoff + sections, header.e_phoff + segments});
  for (unsigned i = 0; i < header.e_shnum && header.e_shentsize == sizeof(Elf64_Shdr); ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, first + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type == SHT_NOBITS) continue;
    if (section.sh_size > limit || section.sh_offset > limit - section.sh_size) return std::nullopt;
    end = std::max<std::size_t>(end, section.sh_offset + section.sh_size);
  }
  return end;
}

/// The fatbin for code of any kind; empty when it is none. `limit`: bytes that may be read.
Bytes fatbin_for(const void* code, std::size_t limit) {
  const auto* first = static_cast<const std::byte*>(code);
  if (limit < 16) return {};
  if (first_word(code) == fatbin_magic) {
    auto bytes = image::fatbin_size(code);
    return bytes && *bytes <= limit ? Bytes(first, first + *bytes) : Bytes{};
  }
  if (is_elf(code)) {
    const std::optional<std::size_t> bytes = elf_bytes(code, limit);
    if (!bytes) return {};
    auto fatbin = image::fatbin_of_file({first, *bytes}, "");
    return fatbin ? std::move(*fatbin) : Bytes{};
  }
  const auto* text = reinterpret_cast<const char*>(code);
  auto fatbin = image::fatbin_of_file({first, strnlen(text, limit)}, "");
  return fatbin ? std::move(*fatbin) : Bytes{};
}

Error error_of(const Diagnostic& diagnostic) {
  if (diagnostic.id.starts_with("code.")) return cudaErrorNoKernelImageForDevice;
  return diagnostic.id.starts_with("ptx.") ? cudaErrorInvalidPtx : cudaErrorInvalidKernelImage;
}

Error load(Library* library, Bytes bytes, std::string name) {
  load_message().clear();
  if (bytes.empty()) return cudaErrorInvalidKernelImage;
  Process& process = Process::get();
  auto made = std::make_unique<LibraryTag>();
  made->bytes = std::move(bytes);
  made->fatbin = process.engine().add_fatbin({.containers = {image::Bytes(made->bytes)}, .program = std::move(name)});
  auto module = process.engine().module(made->fatbin);
  if (!module) {
    process.tell_unless_reported(module.error());
    process.engine().remove_fatbin(made->fatbin);
    load_message() = to_string(module.error());
    return error_of(module.error());
  }
  for (const image::Function& function : (*module)->cubin.functions)
    if (function.kernel) made->kernels[function.symbol] = process.registry().add_kernel(made->fatbin, function.symbol);
  std::lock_guard lock(libraries().mutex);
  *library = made.get();
  libraries().all[*library] = std::move(made);
  return cudaSuccess;
}

}  // namespace

Error cudaLibraryLoadData(Library* library, const void* code, int*, void**, unsigned, int*, void**, unsigned) {
  if (library == nullptr || code == nullptr) return cudaErrorInvalidValue;
  if (first_word(code) == wrapper_magic) std::memcpy(&code, static_cast<const char*>(code) + 8, sizeof code);
  constexpr std::size_t limit = std::size_t{1} << 40;  // only the code itself says where it ends
  return load(library, fatbin_for(code, limit), "a library loaded from memory");
}

Error cudaLibraryLoadFromFile(Library* library, const char* path, int*, void**, unsigned, int*, void**, unsigned) {
  if (library == nullptr || path == nullptr) return cudaErrorInvalidValue;
  std::ifstream file(path, std::ios::binary);
  if (!file) return cudaErrorFileNotFound;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return load(library, fatbin_for(text.data(), text.size()), path);
}

Error cudaLibraryUnload(Library library) {
  std::lock_guard lock(libraries().mutex);
  LibraryTag* found = find(library);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  Process& process = Process::get();
  process.registry().remove_fatbin(process.engine(), found->fatbin);
  libraries().all.erase(library);
  return cudaSuccess;
}

Error cudaLibraryGetKernel(KernelHandle* kernel, Library library, const char* name) {
  if (kernel == nullptr || name == nullptr) return cudaErrorInvalidValue;
  std::lock_guard lock(libraries().mutex);
  LibraryTag* found = find(library);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  auto entry = found->kernels.find(name);
  if (entry == found->kernels.end()) return cudaErrorSymbolNotFound;
  *kernel = entry->second->host;
  return cudaSuccess;
}

Error cudaLibraryGetKernelCount(unsigned* count, Library library) {
  std::lock_guard lock(libraries().mutex);
  LibraryTag* found = find(library);
  if (count == nullptr || found == nullptr)
    return count == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
  *count = static_cast<unsigned>(found->kernels.size());
  return cudaSuccess;
}

Error cudaLibraryEnumerateKernels(KernelHandle* kernels, unsigned room, Library library) {
  std::lock_guard lock(libraries().mutex);
  LibraryTag* found = find(library);
  if (kernels == nullptr || found == nullptr)
    return kernels == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
  for (const auto& [name, kernel] : found->kernels) {
    if (room-- == 0) break;
    *kernels++ = kernel->host;
  }
  return cudaSuccess;
}

Error cudaLibraryGetGlobal(void** address, size_t* bytes, Library library, const char* name) {
  if (name == nullptr) return cudaErrorInvalidValue;
  std::lock_guard lock(libraries().mutex);
  LibraryTag* found = find(library);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  auto variable = Process::get().engine().variable(found->fatbin, name);
  if (!variable) return cudaErrorSymbolNotFound;
  if (address != nullptr) *address = reinterpret_cast<void*>(variable->first);
  if (bytes != nullptr) *bytes = variable->second;
  return cudaSuccess;
}

}  // namespace calls

bool is_library(abi::Library library) {
  std::lock_guard lock(calls::libraries().mutex);
  return calls::find(library) != nullptr;
}

abi::Library library_of(abi::KernelHandle kernel) {
  std::lock_guard lock(calls::libraries().mutex);
  for (const auto& [handle, library] : calls::libraries().all)
    for (const auto& [name, own] : library->kernels)
      if (own->host == kernel) return handle;
  return nullptr;
}

}  // namespace lanebank::cudart
