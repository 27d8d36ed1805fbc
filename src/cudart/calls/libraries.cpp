// Code that a program loads at run time: a fatbin, a cubin, or PTX, from memory or a file.
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include "cudart/calls.hpp"
#include "cudart/process.hpp"
#include "image/fatbin.hpp"

namespace lanebank::cudart::abi {

struct LibraryTag {
  std::size_t fatbin = 0;
  std::vector<std::byte> bytes;  ///< what the engine reads; it must stay
  std::map<std::string, std::shared_ptr<lanebank::cudart::Kernel>> kernels;
};

}  // namespace lanebank::cudart::abi

namespace lanebank::cudart::calls {
namespace {

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

Error load(Library* library, std::vector<std::byte> bytes, std::string name) {
  Process& process = Process::get();
  auto made = std::make_unique<LibraryTag>();
  made->bytes = std::move(bytes);
  made->fatbin = process.engine().add_fatbin({.containers = {image::Bytes(made->bytes)}, .program = std::move(name)});
  auto module = process.engine().module(made->fatbin);
  if (!module) {
    process.tell_unless_reported(module.error());
    process.engine().remove_fatbin(made->fatbin);
    return module.error().id.starts_with("code.") ? cudaErrorNoKernelImageForDevice : cudaErrorInvalidKernelImage;
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
  if (first_word(code) != fatbin_magic) {
    tell("cudaLibraryLoadData: lanebank loads fatbins only; cubins and PTX text by themselves are not taken yet");
    Process::get().engine().unsupported_call("cudaLibraryLoadData");
    return cudaErrorNotSupported;
  }
  auto bytes = image::fatbin_size(code);
  if (!bytes) return cudaErrorInvalidKernelImage;
  const auto* first = static_cast<const std::byte*>(code);
  return load(library, {first, first + *bytes}, "a library loaded from memory");
}

Error cudaLibraryLoadFromFile(Library* library, const char* path, int*, void**, unsigned, int*, void**, unsigned) {
  if (library == nullptr || path == nullptr) return cudaErrorInvalidValue;
  std::ifstream file(path, std::ios::binary);
  if (!file) return cudaErrorFileNotFound;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.size() < 16) return cudaErrorInvalidKernelImage;
  if (first_word(text.data()) != fatbin_magic) {
    tell(std::string(path) + ": lanebank loads fatbins only; cubins and PTX text by themselves are not taken yet");
    Process::get().engine().unsupported_call("cudaLibraryLoadFromFile");
    return cudaErrorNotSupported;
  }
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return load(library, {first, first + text.size()}, path);
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

}  // namespace lanebank::cudart::calls
