/* Redirects the CUDA runtime that an executable or shared object carries in itself.
 *
 * nvcc links cudart statically by default. Its functions are then ordinary code of the program, out of
 * reach of symbol interposition, but still named in .symtab. Over each of them goes a 5-byte jump to a
 * trampoline within 2 GiB, and the trampoline jumps to our entry point:
 *
 *   cudaMalloc (program):  e9 rel32          trampoline:  ff 25 02 00 00 00  jmp *2(%rip)
 *                                                         .quad entry point
 *
 * The smallest libcudart function has 3 bytes, but all start at multiples of 16, so 5 bytes are free.
 * Libraries that export libcudart functions (libcudart.so itself) are treated alike by their .dynsym, so
 * that dlsym() on such a library finds ours too.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum { jump_bytes = 5, trampoline_bytes = 16, page_bytes = 4096 };

/* The file of a loaded object, mapped; every access goes through `at`. */
struct file {
  const unsigned char* bytes;
  size_t size;
};

/* `bytes` bytes at `offset`, for a type of that alignment; null when the file does not hold them so. */
static const void* at(const struct file* file, uint64_t offset, uint64_t bytes, uint64_t alignment) {
  return offset % alignment == 0 && offset <= file->size && bytes <= file->size - offset ? file->bytes + offset : NULL;
}

static struct file map_file(const char* path) {
  struct file file = {NULL, 0};
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return file;
  struct stat status;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    void* bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes != MAP_FAILED) {
      file.bytes = bytes;
      file.size = (size_t)status.st_size;
    }
  }
  close(descriptor);
  return file;
}

struct symbols {
  const Elf64_Sym* first;
  size_t count;
  const char* strings;
  size_t string_bytes;
};

struct object {
  struct file file;
  const Elf64_Ehdr* header;
  const Elf64_Shdr* sections;
  const Elf64_Phdr* segments;
  struct symbols all, dynamic; /* .symtab, .dynsym */
  int has_device_code;
};

static struct symbols read_symbols(const struct object* object, const Elf64_Shdr* section) {
  struct symbols symbols = {NULL, 0, NULL, 0};
  if (section->sh_link >= object->header->e_shnum) return symbols;
  const Elf64_Shdr* strings = &object->sections[section->sh_link];
  const char* text = at(&object->file, strings->sh_offset, strings->sh_size, 1);
  const void* first = at(&object->file, section->sh_offset, section->sh_size, 8);
  if (text == NULL || first == NULL || strings->sh_size == 0 || text[strings->sh_size - 1] != '\0') return symbols;
  symbols.first = first;
  symbols.count = section->sh_size / sizeof(Elf64_Sym);
  symbols.strings = text;
  symbols.string_bytes = strings->sh_size;
  return symbols;
}

static int read_object(struct object* object) {
  const struct file* file = &object->file;
  const Elf64_Ehdr* header = object->header = at(file, 0, sizeof *header, 1);
  if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_machine != EM_X86_64 || header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum == 0 ||
      header->e_phentsize != sizeof(Elf64_Phdr) || header->e_shstrndx >= header->e_shnum)
    return 0;
  object->sections = at(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr), 8);
  object->segments = at(file, header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr), 8);
  if (object->sections == NULL || object->segments == NULL) return 0;
  const Elf64_Shdr* names = &object->sections[header->e_shstrndx];
  const char* text = at(file, names->sh_offset, names->sh_size, 1);
  if (text == NULL || names->sh_size == 0 || text[names->sh_size - 1] != '\0') return 0;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr* section = &object->sections[i];
    if (section->sh_name >= names->sh_size) return 0;
    const char* name = text + section->sh_name;
    if (strcmp(name, ".nv_fatbin") == 0 || strcmp(name, ".nvFatBinSegment") == 0) object->has_device_code = 1;
    if (section->sh_type == SHT_SYMTAB) object->all = read_symbols(object, section);
    if (section->sh_type == SHT_DYNSYM) object->dynamic = read_symbols(object, section);
  }
  return 1;
}

/* The row of the libcudart function that `symbol` defines, or -1. */
static int defined_row(const struct symbols* symbols, const Elf64_Sym* symbol) {
  if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF || symbol->st_value == 0) return -1;
  if (symbol->st_name >= symbols->string_bytes) return -1;
  const char* name = symbols->strings + symbol->st_name;
  if (strncmp(name, "cuda", 4) != 0 && strncmp(name, "__cuda", 6) != 0) return -1;
  return lanebank_find_row(name);
}

static int imports_runtime(const struct symbols* dynamic) {
  for (size_t i = 0; i < dynamic->count; ++i) {
    const Elf64_Sym* symbol = &dynamic->first[i];
    if (symbol->st_shndx == SHN_UNDEF && symbol->st_name < dynamic->string_bytes &&
        strcmp(dynamic->strings + symbol->st_name, "__cudaRegisterFatBinary") == 0)
      return 1;
  }
  return 0;
}

/* Whether the functions that an object keeps to itself are still named: every strip takes those first. */
static int names_its_own_functions(const struct symbols* all) {
  for (size_t i = 0; i < all->count; ++i) {
    const Elf64_Sym* symbol = &all->first[i];
    if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
        symbol->st_shndx != SHN_UNDEF)
      return 1;
  }
  return 0;
}

/* A free page range within 1 GiB of `address`; below it first, since the heap grows above a program. */
static void* map_near(uintptr_t address, size_t bytes) {
  const uintptr_t step = 1u << 16, reach = 1u << 30;
  for (int direction = -1; direction <= 1; direction += 2) {
    for (uintptr_t distance = step; distance < reach; distance += step) {
      uintptr_t base = address & ~(step - 1);
      if (direction < 0 && base <= distance + step) break;
      uintptr_t wanted = direction < 0 ? base - distance : base + distance;
      void* found =
          mmap((void*)wanted, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
      if (found == (void*)wanted) return found;
      if (found != MAP_FAILED) munmap(found, bytes); /* a kernel without MAP_FIXED_NOREPLACE */
    }
  }
  errno = ENOMEM;
  return NULL;
}

/* Makes the pages of [first, last) writable or executable again. */
static int protect(uintptr_t first, uintptr_t last, int protection) {
  uintptr_t start = first & ~(uintptr_t)(page_bytes - 1);
  return mprotect((void*)start, last - start, protection);
}

static void write_trampoline(unsigned char* trampoline, const void* target) {
  static const unsigned char jump[8] = {0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc};
  memcpy(trampoline, jump, sizeof jump);
  memcpy(trampoline + sizeof jump, &target, sizeof target);
}

static void write_jump(uintptr_t address, const unsigned char* trampoline) {
  int32_t relative = (int32_t)((uintptr_t)trampoline - (address + jump_bytes));
  unsigned char jump[jump_bytes] = {0xe9};
  memcpy(jump + 1, &relative, sizeof relative);
  memcpy((void*)address, jump, jump_bytes);
}

int lanebank_redirect_function(uintptr_t address, void* target, struct lanebank_trampolines* trampolines) {
  unsigned char* trampoline = map_near(address, page_bytes);
  if (trampoline == NULL) return 0;
  *trampolines = (struct lanebank_trampolines){trampoline, page_bytes};
  write_trampoline(trampoline, target);
  if (mprotect(trampoline, page_bytes, PROT_READ | PROT_EXEC) != 0) return 0;
  if (protect(address, address + jump_bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return 0;
  write_jump(address, trampoline);
  return protect(address, address + jump_bytes, PROT_READ | PROT_EXEC) == 0;
}

/* The executable segment that holds `value`, or null. */
static const Elf64_Phdr* code_segment(const struct object* object, uint64_t value) {
  for (unsigned i = 0; i < object->header->e_phnum; ++i) {
    const Elf64_Phdr* segment = &object->segments[i];
    if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) != 0 && value >= segment->p_vaddr &&
        value - segment->p_vaddr < segment->p_memsz)
      return segment;
  }
  return NULL;
}

/* Calls `use` for each libcudart function that `symbols` define in code; stops at 0. */
static int for_each_target(const struct object* object, const struct symbols* symbols,
                           int (*use)(void* state, uint64_t value, int row), void* state) {
  for (size_t i = 0; i < symbols->count; ++i) {
    const Elf64_Sym* symbol = &symbols->first[i];
    int row = defined_row(symbols, symbol);
    if (row >= 0 && code_segment(object, symbol->st_value) != NULL && !use(state, symbol->st_value, row)) return 0;
  }
  return 1;
}

struct span {
  uint64_t low, high;
  size_t count;
  int registers; /* __cudaRegisterFatBinary is among them */
  int of_12;     /* as is what only CUDA 12 has */
};

static int widen(void* state, uint64_t value, int row) {
  struct span* span = state;
  if (row == lanebank_row___cudaRegisterFatBinary) span->registers = 1;
  if (row == lanebank_row_cudaGetDeviceProperties_v2) span->of_12 = 1;
  if (span->count == 0 || value < span->low) span->low = value;
  if (span->count == 0 || value > span->high) span->high = value;
  ++span->count;
  return 1;
}

/* What an object is, and the symbols and span of what is to be redirected in it. */
static enum lanebank_outcome classify(struct object* object, const struct symbols** symbols, struct span* span) {
  *span = (struct span){0};
  if (!read_object(object)) return lanebank_no_cuda;
  *symbols = &object->dynamic;
  for_each_target(object, *symbols, widen, span); /* libcudart.so and the like */
  if (span->count != 0) return lanebank_redirected;
  /* A program may hold the runtime without device code; functions of its own with such names do not count. */
  *symbols = &object->all;
  for_each_target(object, *symbols, widen, span);
  if (span->count != 0 && (object->has_device_code || span->registers)) return lanebank_redirected;
  span->count = 0;
  if (!object->has_device_code) return lanebank_no_cuda;
  if (imports_runtime(&object->dynamic)) return lanebank_imports;
  /* nvcc puts a little device code into programs of the driver interface too. */
  return names_its_own_functions(&object->all) ? lanebank_no_cuda : lanebank_stripped;
}

enum lanebank_outcome lanebank_classify(const void* bytes, size_t size, size_t* targets) {
  struct object object = {.file = {bytes, size}};
  const struct symbols* symbols;
  struct span span;
  enum lanebank_outcome outcome = classify(&object, &symbols, &span);
  *targets = span.count;
  return outcome;
}

static int runtime_major = 13;

int lanebank_runtime_major(void) { return runtime_major; }

struct writer {
  uintptr_t bias;
  unsigned char *next, *end;
};

static int write_target(void* state, uint64_t value, int row) {
  struct writer* writer = state;
  if (writer->next == writer->end) return 0;
  write_trampoline(writer->next, lanebank_entries[row]);
  write_jump(writer->bias + value, writer->next);
  writer->next += trampoline_bytes;
  return 1;
}

static int write_all(const struct object* object, const struct symbols* symbols, const struct span* span,
                     uintptr_t bias, struct lanebank_trampolines* trampolines) {
  size_t bytes = (span->count * trampoline_bytes + page_bytes - 1) & ~(size_t)(page_bytes - 1);
  unsigned char* start = map_near(bias + span->low, bytes);
  if (start == NULL) return 0;
  *trampolines = (struct lanebank_trampolines){start, bytes};
  uintptr_t low = bias + span->low, high = bias + span->high + jump_bytes;
  if (protect(low, high, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return 0;
  struct writer writer = {bias, start, start + bytes};
  return for_each_target(object, symbols, write_target, &writer) &&
         mprotect(start, bytes, PROT_READ | PROT_EXEC) == 0 && protect(low, high, PROT_READ | PROT_EXEC) == 0;
}

enum lanebank_outcome lanebank_redirect(const char* path, uintptr_t bias, struct lanebank_trampolines* trampolines) {
  struct object object = {.file = map_file(path)};
  *trampolines = (struct lanebank_trampolines){NULL, 0};
  if (object.file.bytes == NULL) return lanebank_no_cuda; /* the kernel's own objects have no file */
  const struct symbols* symbols;
  struct span span;
  enum lanebank_outcome outcome = classify(&object, &symbols, &span);
  if (outcome == lanebank_redirected && span.of_12) runtime_major = 12;
  if (outcome == lanebank_redirected && !write_all(&object, symbols, &span, bias, trampolines))
    outcome = lanebank_refused;
  int reason = errno;
  munmap((void*)object.file.bytes, object.file.size);
  errno = reason;
  return outcome;
}
