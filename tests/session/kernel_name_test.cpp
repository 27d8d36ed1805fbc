// Pairs of symbol and name. Those marked "ncu" are names that Nsight Compute or Nsight Systems printed.
#include "session/kernel_name.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

namespace lanebank::session {
namespace {

struct Pair {
  const char* symbol;
  const char* name;
  const char* base;
};

class KernelNames : public testing::TestWithParam<Pair> {};

TEST_P(KernelNames, PrintAsInNsightCompute) {
  const KernelName name = kernel_name(GetParam().symbol);
  EXPECT_EQ(name.full, GetParam().name);
  EXPECT_EQ(name.base, GetParam().base);
}

INSTANTIATE_TEST_SUITE_P(OfTheCases, KernelNames,
                         testing::Values(  // ncu
                             Pair{"_Z2trILi0ELi32EEvPKfPfi", "void tr<(int)0, (int)32>(const float *, float *, int)",
                                  "tr"},
                             Pair{"_Z10accumulatePKfPf", "accumulate(const float *, float *)", "accumulate"},
                             Pair{"_Z5carvePK6float4PS_", "carve(const float4 *, float4 *)", "carve"},
                             Pair{"_Z4loadI14CUtensorMap_stEvT_", "void load<CUtensorMap_st>(T1)", "load"},
                             Pair{"_Z4load14CUtensorMap_stPt", "load(CUtensorMap_st, unsigned short *)", "load"},
                             Pair{"_Z4gemmPK6__halfS1_Pf", "gemm(const __half *, const __half *, float *)", "gemm"},
                             Pair{"_Z9rowprefixPKiPi", "rowprefix(const int *, int *)", "rowprefix"},
                             Pair{"_Z5xposePKjPj", "xpose(const unsigned int *, unsigned int *)", "xpose"},
                             Pair{"_Z7twopagePK5uint4PS_", "twopage(const uint4 *, uint4 *)", "twopage"}));

INSTANTIATE_TEST_SUITE_P(
    OfLibraries, KernelNames,
    testing::Values(  // ncu
        Pair{"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEENS_"
             "6detail5ArrayIPcLi3EEEEEviT0_T1_",
             "void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<float>, "
             "at::detail::Array<char *, (int)3>>(int, T2, T3)",
             "vectorized_elementwise_kernel"},
        Pair{"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIiEESt5arrayIPcLm1EEEEviT0_T1_",
             "void at::native::vectorized_elementwise_kernel<(int)4, at::native::FillFunctor<int>, "
             "std::array<char *, (unsigned long)1>>(int, T2, T3)",
             "vectorized_elementwise_kernel"},
        Pair{"_ZN2at6native18elementwise_kernelILi128ELi2EZNS0_22gpu_kernel_impl_nocastINS0_15CUDAFunctor_"
             "addIfEEEEvRNS_18Tensor"
             "IteratorBaseERKT_EUliE_EEviT1_",
             "void at::native::elementwise_kernel<(int)128, (int)2, void at::native::gpu_kernel_impl_nocast<"
             "at::native::CUDAFunctor_add<float>>(at::TensorIteratorBase &, const T1 &)::[lambda(int) (instance "
             "1)]>(int, T3)",
             "elementwise_kernel"},
        Pair{"_ZN7cutlass6KernelI4gemmEEvNT_6ParamsE", "void cutlass::Kernel<gemm>(T1::Params)", "Kernel"},
        Pair{"_Z23ncclDevKernel_AllReduce24ncclDevKernelArgsStorageILm4096EE",
             "ncclDevKernel_AllReduce(ncclDevKernelArgsStorage<(unsigned long)4096>)", "ncclDevKernel_AllReduce"},
        Pair{"_ZN2at6native43_GLOBAL__N__52_tmpxft_0000230c_00000000_11_4sortEPf",
             "at::native::<unnamed>::sort(float *)", "sort"},
        Pair{"_ZZN2at1fEvENKUlvE2_clEv", "at::f()::[lambda() (instance 4)]::operator ()() const", "operator ()"}));

INSTANTIATE_TEST_SUITE_P(
    Types, KernelNames,
    testing::Values(
        Pair{"_Z1kv", "k()", "k"}, Pair{"_Z1kRKfPPKcPKPf", "k(const float &, const char **, float *const *)", "k"},
        Pair{"_Z1kOi", "k(int &&)", "k"}, Pair{"_Z1kPFvifE", "k(void (*)(int, float))", "k"},
        Pair{"_Z1kPFPKfvE", "k(const float *(*)())", "k"}, Pair{"_Z1kRA3_i", "k(int (&)[3])", "k"},
        Pair{"_Z1kPA4_A8_Kf", "k(const float (*)[4][8])", "k"}, Pair{"_Z1kM1AFivE", "k(int (A::*)())", "k"},
        Pair{"_Z1kM1Ai", "k(int A::*)", "k"},
        Pair{"_Z1khatsmlxyabwn",
             "k(unsigned char, signed char, unsigned short, short, unsigned long, long, long long, unsigned long long, "
             "signed char, bool, wchar_t, __int128)",
             "k"},
        Pair{"_Z1kPVKf", "k(const volatile float *)", "k"},
        Pair{"_Z1kN4cuda3std3__47complexIfEE", "k(cuda::std::__4::complex<float>)", "k"},
        Pair{"_Z1kSt7complexIdE", "k(std::complex<double>)", "k"},
        Pair{"_Z1kPK13__nv_bfloat16S1_", "k(const __nv_bfloat16 *, const __nv_bfloat16 *)", "k"},
        Pair{"_Z1kiz", "k(int, ...)", "k"}, Pair{"_Z1kDn", "k(std::nullptr_t)", "k"},
        Pair{"_ZL1kPf", "k(float *)", "k"}));

INSTANTIATE_TEST_SUITE_P(
    Templates, KernelNames,
    testing::Values(
        Pair{"_Z1kIfEvPT_S0_S1_", "void k<float>(T1 *, T1, T1 *)", "k"},
        Pair{"_Z1kILb1ELb0EEvv", "void k<(bool)1, (bool)0>()", "k"},
        Pair{"_Z1kILj4ELm5ELl6ELc97ELs3ELy7EEvv",
             "void k<(unsigned int)4, (unsigned long)5, (long)6, (char)97, (short)3, (unsigned long long)7>()", "k"},
        Pair{"_Z1kILin3EEvv", "void k<(int)-3>()", "k"}, Pair{"_Z1kILN2ns4ModeE2EEvv", "void k<(ns::Mode)2>()", "k"},
        Pair{"_Z1kIJifdEEvDpT_", "void k<int, float, double>(T1...)", "k"},
        Pair{"_Z1kIJEEvDpT_", "void k<>(T1...)", "k"}, Pair{"_ZN1AIiE1fIfEEvT_", "void A<int>::f<float>(T1)", "f"},
        Pair{"_ZN1AIiE1fEi", "A<int>::f(int)", "f"}, Pair{"_Z1kI1AI1BIiEEEvT_", "void k<A<B<int>>>(T1)", "k"},
        Pair{"_Z1kIXL_Z4plusiiEEEvPi", "void k<&plus(int, int)>(int *)", "k"},
        Pair{"_Z1kIKfEvPT_", "void k<const float>(T1 *)", "k"},
        Pair{"_Z1kIPFffEEvT_", "void k<float (*)(float)>(T1)", "k"},
        Pair{"_Z1kIFviEEvv", "void k<void (int)>()", "k"}));

INSTANTIATE_TEST_SUITE_P(
    Others, KernelNames,
    testing::Values(Pair{"kernel", "kernel", "kernel"}, Pair{"", "", ""}, Pair{"_Z", "_Z", "_Z"},
                    Pair{"_ZTV1A", "vtable for A", "A"}, Pair{"_Z1kPf.constprop.0", "k(float *)", "k"},
                    // Expressions of dependent types are left to the C++ library's demangler.
                    Pair{"_Z1kIiEvDTplfp_fp_E", "void k<int>(decltype ({parm#1}+{parm#1}))", "k"}));

TEST(KernelNamesOfTheTruth, AreThoseOfTheTransposes) {
  std::ifstream file(std::string(LANEBANK_SHARED_DATA) + "/truth/cases/transposes.json");
  const auto truth = nlohmann::json::parse(file);
  std::set<std::string> names;
  for (const auto& row : truth["instructions"]) names.insert(row["kernel"].get<std::string>());
  for (int mode : {0, 1, 2, 3})
    for (int size : {16, 32})
      EXPECT_TRUE(names.contains(
          kernel_name("_Z2trILi" + std::to_string(mode) + "ELi" + std::to_string(size) + "EEvPKfPfi").full));
  EXPECT_TRUE(names.contains(kernel_name("_Z4vec4PKfPfi").full));
}

TEST(KernelNamesOfHostileSymbols, NeverCrashNorGrowWithoutBound) {
  std::mt19937 random(3);
  const std::string alphabet = "_ZNIEKPRFASTLvijfd0123456789abclUtXDpJC";
  for (int i = 0; i < 20000; i++) {
    std::string symbol = "_Z";
    for (unsigned k = 0; k < random() % 60; k++) symbol += alphabet[random() % alphabet.size()];
    (void)kernel_name(symbol);
  }
  (void)kernel_name("_Z1k" + std::string(100000, 'P') + "f");
  std::string doubling = "_Z1kI1AE";  // every pair refers to the one before: 2^n characters if nobody minds
  for (int i = 0; i < 60; i++) doubling += "1BIS" + std::string(1, static_cast<char>('0' + i % 10)) + "_S0_E";
  EXPECT_LT(kernel_name(doubling).full.size(), 1u << 20);
}

}  // namespace
}  // namespace lanebank::session
