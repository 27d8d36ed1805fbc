#include "image/shared_arrays.hpp"

#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "../random_seed.hpp"
#include "files.hpp"
#include "image/ptx.hpp"

namespace lanebank::image {
namespace {

/// "name offset size element, ..." in the order given; dynamic arrays have a "+" for their size.
std::string arrays_text(const Function& kernel) {
  std::string text = kernel.arrays_known ? "" : "unknown";
  for (const SharedArray& array : kernel.arrays)
    text += (text.empty() ? "" : ", ") + array.name + " " + std::to_string(array.offset_bytes) + " " +
            (array.dynamic ? "+" : std::to_string(array.size_bytes)) + " " + std::to_string(array.element_bytes);
  return text;
}

TEST(Arrays, WholeProgramsKeepTheOrderOfThePtx) {
  for (const char* name : {"arrays_sm75.cubin", "arrays_sm90.cubin", "arrays_cuda12_sm90.cubin"}) {
    SCOPED_TRACE(name);
    Cubin cubin = data_cubin(name);
    EXPECT_EQ(arrays_text(function_of(cubin, "_Z8one_tilePKfPf")), "tile 0 4224 4");
    EXPECT_EQ(arrays_text(function_of(cubin, "_Z4manyPKfPfi")),
              "letters 0 5 1, rows 64 12 4, particles 76 112 4, halves 188 22 2");
    EXPECT_EQ(arrays_text(function_of(cubin, "_Z7inlinedPKfPf")), "inlined_tile 0 68 4, inlined_tile 68 132 4");
    EXPECT_EQ(arrays_text(function_of(cubin, "_Z12through_callPKfPfi")),
              "of_module 0 20 4, own 20 12 4, inlined_tile 32 132 4, called_tile 168 48 8");
    EXPECT_EQ(arrays_text(function_of(cubin, "_Z7dynamicPKfPfi")), "before 0 13 1, dynamic_tile 16 + 8");
    const Function& none = function_of(cubin, "_Z4nonePf");
    EXPECT_TRUE(none.arrays_known);
    EXPECT_TRUE(none.arrays.empty());
  }
}

TEST(Arrays, SymbolsTellInstancesOfOneNameApart) {
  Cubin cubin = data_cubin("arrays_sm90.cubin");
  const Function& kernel = function_of(cubin, "_Z7inlinedPKfPf");
  ASSERT_EQ(kernel.arrays.size(), 2u);
  EXPECT_EQ(kernel.arrays[0].symbol, "_ZZ14through_sharedILi17EEfPKfE12inlined_tile");
  EXPECT_EQ(kernel.arrays[1].symbol, "_ZZ14through_sharedILi33EEfPKfE12inlined_tile");
}

TEST(Arrays, NvlinkSortsTheKernelsOwnArrays) {
  Cubin cubin = data_cubin("arrays_rdc_sm90.cubin");
  EXPECT_EQ(arrays_text(function_of(cubin, "_Z4manyPKfPfi")),
            "rows 0 12 4, particles 12 112 4, halves 124 22 2, letters 146 5 1");
  EXPECT_EQ(arrays_text(function_of(cubin, "_Z7dynamicPKfPfi")), "before 0 13 1, dynamic_tile 16 + 8");
  EXPECT_EQ(arrays_text(function_of(cubin, "_Z12through_callPKfPfi")), "unknown") << "its order is not in the PTX";
}

TEST(Arrays, ThePtxOfTheFatbinServesWhereTheCubinHasNone) {
  EXPECT_FALSE(function_of(data_cubin("tiny_sm90.cubin"), "_Z7reversePKfPf").arrays_known);
  std::string ptx =
      ".version 9.0\n.target sm_90\n.visible .entry _Z7reversePKfPf(.param .u64 a)\n"
      "{\n.shared .align 4 .b8 _ZZ7reversePKfPfE4tile[256];\nret;\n}\n";
  EXPECT_EQ(arrays_text(function_of(data_cubin("tiny_sm90.cubin", ptx), "_Z7reversePKfPf")), "tile 0 256 4");
}

TEST(Arrays, SizesThatDisagreeWithTheSectionLeaveThemUnknown) {
  for (const char* size : {"255", "260", "0", "4294967295", "99999999999999999999"}) {
    std::string ptx =
        std::string(".visible .entry _Z7reversePKfPf()\n{\n.shared .align 4 .b8 tile[") + size + "];\nret;\n}\n";
    EXPECT_EQ(arrays_text(function_of(data_cubin("tiny_sm90.cubin", ptx), "_Z7reversePKfPf")), "unknown") << size;
  }
}

TEST(Arrays, SourceNamesAreTheLastPartOfMangledOnes) {
  EXPECT_EQ(source_name("_ZZ9transposePKfPfE4tile"), "tile");
  EXPECT_EQ(source_name("_ZZN2ns3runILi4EEEvPN3cub5BlockEE5cache"), "cache");
  EXPECT_EQ(source_name("_ZN2ns6bufferE"), "buffer");
  EXPECT_EQ(source_name("_ZZ1kvE1a_0"), "a");
  EXPECT_EQ(source_name("plain"), "plain");
  EXPECT_EQ(source_name("_Znonsense"), "_Znonsense");
  EXPECT_EQ(source_name(""), "");
}

std::string scanned(std::string_view text) {
  std::string out;
  for (const PtxModule& module : scan_ptx(text)) {
    auto list = [&](const std::vector<PtxArray>& arrays) {
      for (const PtxArray& array : arrays)
        out += (array.is_extern ? " extern " : " ") + std::string(array.name) + ":" + std::to_string(array.size_bytes) +
               "@" + std::to_string(array.alignment_bytes) + "/" + std::to_string(array.element_bytes);
    };
    list(module.arrays);
    for (const PtxFunction& function : module.functions) {
      out += (function.is_entry ? " entry " : " func ") + std::string(function.name) + "{";
      list(function.arrays);
      for (std::string_view name : function.mentioned) out += " ->" + std::string(name);
      out += " }";
    }
  }
  return out;
}

TEST(PtxScan, FindsDeclarationsOfAllForms) {
  EXPECT_EQ(scanned(".shared .align 8 .b8 a[16];"), " a:16@8/1");
  EXPECT_EQ(scanned(".shared .f32 a[2][3], b, c[4];"), " a:24@4/4 b:4@4/4 c:16@4/4");
  EXPECT_EQ(scanned(".shared .align 16 .v4 .f32 v[2];"), " v:32@16/16");
  EXPECT_EQ(scanned(".visible .shared .align 4 .u64 a;"), " a:8@4/8");
  EXPECT_EQ(scanned(".extern .shared .align 16 .b8 d[];"), " extern d:0@16/1");
  EXPECT_EQ(scanned(".shared .b8 a[0x10];"), " a:16@1/1");
  EXPECT_EQ(scanned("/* .shared .b8 no[1]; */ // .shared .b8 no[1];\n.shared .b8 a[1];"), " a:1@1/1");
}

TEST(PtxScan, SuffixesOfInstructionsAreNoDeclarations) {
  EXPECT_EQ(scanned(".entry k() { ld.shared.u32 %r1, [%r2]; .loc 1 2 3\n.shared .align 4 .b8 "
                    "a[4];\nst.volatile.shared.u32 [a], %r1; }"),
            " entry k{ a:4@4/1 }");
}

TEST(PtxScan, BodiesMentionArraysAndFunctionsOfTheirModule) {
  EXPECT_EQ(scanned(".shared .b8 m[4]; .func f() { mov.u32 %r1, m; ret; } .entry k(.param .u64 p) { call.uni f, (); { "
                    "mov.u32 %r1, other; } }"),
            " m:4@1/1 func f{ ->m } entry k{ ->f }");
}

TEST(PtxScan, PrototypesKeepTheirPlaceAndGetTheirBody) {
  EXPECT_EQ(scanned(".func (.param .b32 r) f(.param .b32 p); .func g() { ret; } .func (.param .b32 r) f(.param .b32 p) "
                    "{ .shared .b8 a[2]; ret; }"),
            " func f{ a:2@1/1 } func g{ }");
}

TEST(PtxScan, InitialisersAndSectionsArePassedOver) {
  EXPECT_EQ(scanned(".global .align 8 .u64 t[2] = {generic(f), 0}; .section .debug_str { .b8 1 } .shared .b8 a[1];"),
            " a:1@1/1");
}

TEST(PtxScan, ModulesOneAfterTheOtherStayApart) {
  std::vector<PtxModule> modules = scan_ptx(".version 8.0 .shared .b8 a[1]; .version 8.0 .shared .b8 a[2];");
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[0].arrays.at(0).size_bytes, 1u);
  EXPECT_EQ(modules[1].arrays.at(0).size_bytes, 2u);
}

TEST(PtxScan, NarrowestAccessTellsTheElementOfOveralignedArrays) {
  std::vector<PtxModule> modules = scan_ptx(
      ".entry k() { .shared .align 16 .b8 a[64]; .shared .align 16 .b8 b[64];\n"
      "mov.u32 %r1, a; shl.b32 %r2, %r9, 2; add.s32 %r3, %r1, %r2; st.shared.v4.f32 [%r3], {%f1, %f2, %f3, %f4};\n"
      "@%p1 ld.shared.f32 %f1, [%r3+8]; mov.u32 %r4, b; st.shared.v4.f32 [%r4], {%f1, %f1, %f1, %f1}; }");
  ASSERT_EQ(modules.at(0).functions.at(0).arrays.size(), 2u);
  EXPECT_EQ(modules[0].functions[0].arrays[0].narrowest_access_bytes, 4u);
  EXPECT_EQ(modules[0].functions[0].arrays[1].narrowest_access_bytes, 16u);
}

TEST(PtxScan, EveryPrefixOfAText) {
  std::string text(data_cubin("arrays_sm75.cubin").ptx_text);
  ASSERT_GT(text.size(), 1000u);
  for (std::size_t size = 0; size < text.size(); ++size) scan_ptx(std::string_view(text).substr(0, size));
}

// The layout rule, against the assembler itself: random modules are assembled, and the machine code says
// where each array is. Every array gets a store of its own number, so that the stores name them.

bool has_tool(const char* name) {
  return std::system((std::string("command -v ") + name + " >/dev/null 2>&1").c_str()) == 0;
}

struct RandomModule {
  std::mt19937 random;
  std::map<std::string, unsigned> numbers;  ///< array -> what is stored into it
  std::string text;
  std::vector<std::string> names;
  std::set<std::string> unused;

  unsigned below(unsigned count) { return random() % count; }

  std::string declare(const std::string& name) {
    static constexpr unsigned alignments[] = {1, 2, 4, 4, 8, 16, 32, 64}, sizes[] = {1, 3, 4, 7, 12, 20, 33, 64, 100};
    numbers.try_emplace(name, unsigned(numbers.size() + 1));
    return ".shared .align " + std::to_string(alignments[below(8)]) + " .b8 " + name + "[" +
           std::to_string(sizes[below(9)]) + "];\n";
  }

  std::string body(const std::string& prefix, const std::vector<std::string>& outside,
                   const std::vector<std::string>& calls) {
    std::string declarations = ".reg .b32 %r<3>;\n";
    std::vector<std::string> used;
    for (unsigned i = 0, count = below(4); i < count; ++i) {
      declarations += declare(prefix + "_a" + std::to_string(i));
      used.push_back(prefix + "_a" + std::to_string(i));
    }
    for (const std::string& name : outside)
      if (below(2) == 0) used.push_back(name);
    std::shuffle(used.begin(), used.end(), random);
    std::string stores;
    for (const std::string& name : used)
      stores += "mov.u32 %r1, " + std::to_string(numbers[name]) + "; st.volatile.shared.u8 [" + name + "], %r1;\n";
    for (const std::string& name : calls)
      if (below(2) == 0) stores += "call.uni " + name + ", ();\n";
    return "{\n" + declarations + stores + "ret;\n}\n";
  }

  RandomModule(unsigned seed, const std::string& target) : random(seed) {
    text = ".version 8.0\n.target " + target + "\n.address_size 64\n";
    if (below(2) == 0) text += ".extern .shared .align " + std::to_string(1u << below(6)) + " .b8 dynamic[];\n";
    std::vector<std::string> outside, functions;
    for (unsigned i = 0, count = below(5); i < count; ++i) {
      outside.push_back("m" + std::to_string(i));
      text += declare(outside.back());
    }
    for (unsigned i = 0, count = below(3); i < count; ++i) {
      std::string name = "f" + std::to_string(i);
      text += ".func " + name + "()\n" + body(name, outside, functions);
      functions.push_back(name);
    }
    for (unsigned i = 0; i < 4; ++i) {
      std::string name = "k" + std::to_string(i);
      text += ".visible .entry " + name + "(.param .u64 p)\n" + body(name, outside, functions);
    }
  }
};

/// Offsets of the stores of each number in sm_75 code, which has no other form for them than
/// MOV or IMAD.MOV of an immediate, then STS to an absolute address.
std::map<unsigned, std::set<std::uint32_t>> stores_of(std::span<const std::byte> code) {
  std::map<unsigned, std::set<std::uint32_t>> stores;
  std::map<unsigned, unsigned> registers;
  for (std::size_t at = 0; at + 16 <= code.size(); at += 16) {
    auto low = value_at<std::uint64_t>(code, at), high = value_at<std::uint64_t>(code, at + 8);
    unsigned opcode = low & 0xfff, destination = low >> 16 & 0xff, a = low >> 24 & 0xff, c = high & 0xff;
    if (opcode == 0x802 || (opcode == 0x424 && a == 0xff && c == 0xff)) registers[destination] = unsigned(low >> 32);
    if (opcode == 0x388 && a == 0xff) stores[registers[low >> 32 & 0xff]].insert(std::uint32_t(low >> 40));
  }
  return stores;
}

class WithPtxas : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_tool("ptxas")) GTEST_SKIP() << "ptxas is not on PATH";
    folder_ = std::filesystem::temp_directory_path() / ("lanebank-arrays-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  Cubin assemble(const std::string& ptx, const std::string& command) {
    std::ofstream(folder_ / "in.ptx") << ptx;
    EXPECT_EQ(std::system(("cd '" + folder_.string() + "' && " + command).c_str()), 0) << ptx;
    std::ifstream file(folder_ / "out.cubin", std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    Result<Cubin> cubin = read_cubin(std::as_bytes(std::span(text)), ptx);
    EXPECT_TRUE(cubin.has_value()) << to_string(cubin.error());
    return cubin ? std::move(*cubin) : Cubin();
  }
  std::filesystem::path folder_;
};

TEST_F(WithPtxas, RandomModulesLieWhereTheMachineCodeStores) {
  unsigned first = test_seed() % 1'000'000;
  std::size_t compared = 0;
  for (unsigned seed = first; seed < first + 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomModule module(seed, "sm_75");
    Cubin cubin = assemble(module.text, "ptxas -arch=sm_75 in.ptx -o out.cubin");
    for (const Function& kernel : cubin.functions) {
      ASSERT_TRUE(kernel.arrays_known) << kernel.symbol << "\n" << module.text;
      auto stores = stores_of(std::span(cubin.code).subspan(kernel.code_offset_bytes, kernel.code_bytes));
      for (const SharedArray& array : kernel.arrays) {
        if (array.dynamic) continue;
        const auto& places = stores[module.numbers.at(array.symbol)];
        EXPECT_EQ(places, std::set<std::uint32_t>{array.offset_bytes}) << kernel.symbol << " " << array.symbol << "\n"
                                                                       << module.text;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 20u);
}

TEST_F(WithPtxas, RandomModulesFillTheirSectionsOnOtherArchitectures) {
  unsigned first = test_seed() % 1'000'000;
  for (const char* target : {"sm_80", "sm_86", "sm_89", "sm_90"}) {
    for (unsigned seed = first; seed < first + 3; ++seed) {
      SCOPED_TRACE(std::string(target) + " seed " + std::to_string(seed));
      RandomModule module(seed, target);
      Cubin cubin = assemble(module.text, std::string("ptxas -arch=") + target + " in.ptx -o out.cubin");
      for (const Function& kernel : cubin.functions)
        EXPECT_TRUE(kernel.arrays_known) << kernel.symbol << "\n" << module.text;
    }
  }
}

TEST_F(WithPtxas, NvlinkPlacesWhatIsKnownWhereTheMachineCodeStores) {
  if (!has_tool("nvlink")) GTEST_SKIP() << "nvlink is not on PATH";
  unsigned first = test_seed() % 1'000'000;
  std::size_t compared = 0;
  for (unsigned seed = first; seed < first + 16; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomModule module(seed, "sm_75");
    Cubin cubin = assemble(module.text, "ptxas -c -arch=sm_75 in.ptx -o in.o && nvlink -arch=sm_75 in.o -o out.cubin");
    for (const Function& kernel : cubin.functions) {
      auto stores = stores_of(std::span(cubin.code).subspan(kernel.code_offset_bytes, kernel.code_bytes));
      for (const SharedArray& array : kernel.arrays) {
        const auto& places = stores[module.numbers.at(array.symbol)];
        if (places.empty()) continue;  // stored by a function that the kernel calls
        EXPECT_EQ(places, std::set<std::uint32_t>{array.offset_bytes}) << kernel.symbol << " " << array.symbol << "\n"
                                                                       << module.text;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 2u);
}

TEST_F(WithPtxas, DebugBuildsTellPlacesBySymbols) {
  if (!has_tool("nvcc")) GTEST_SKIP() << "nvcc is not on PATH";
  for (const char* target : {"sm_75", "sm_90"}) {
    SCOPED_TRACE(target);
    Cubin cubin = assemble(
        "", "nvcc -w -G -arch=" + std::string(target) + " -cubin '" LANEBANK_TEST_DATA "/arrays.cu' -o out.cubin");
    EXPECT_EQ(arrays_text(function_of(cubin, "_Z4manyPKfPfi")),
              "rows 0 12 4, particles 12 112 4, halves 124 22 2, letters 146 5 1");
    EXPECT_EQ(arrays_text(function_of(cubin, "_Z12through_callPKfPfi")),
              "inlined_tile 0 132 4, called_tile 136 48 8, own 184 12 4, of_module 196 20 4");
  }
}

}  // namespace
}  // namespace lanebank::image
