#include "cudart/device_model.hpp"

#include <cstdio>
#include <cstring>
#include <iterator>

namespace lanebank::cudart {
namespace {

constexpr unsigned columns = 5;

struct AttributeRow {
  int number;
  int values[columns];
};

constexpr AttributeRow attributes[] = {
#define ATTRIBUTE(name, number, sm_75, sm_80, sm_86, sm_89, sm_90) {number, {sm_75, sm_80, sm_86, sm_89, sm_90}},
#include "cudart/device_attributes.def"
#undef ATTRIBUTE
};

constexpr DeviceModel models[columns] = {
    {.architecture = 75, .name = "Tesla T4", .memory_bytes = 15843721216, .shared_unit_bytes = 256},
    {.architecture = 80, .name = "NVIDIA A100-SXM4-40GB", .memory_bytes = 42505273344},
    {.architecture = 86, .name = "NVIDIA A10", .memory_bytes = 23836098560},
    {.architecture = 89, .name = "NVIDIA L40S", .memory_bytes = 47810871296},
    {.architecture = 90, .name = "NVIDIA H200", .memory_bytes = 150109880320},
};

const AttributeRow* find_row(int number) {
  for (const AttributeRow& row : attributes)
    if (row.number == number) return &row;
  return nullptr;
}

/// A field of cudaDeviceProp and the attributes that fill it, one after the other.
template <class Field>
struct Filled {
  Field abi::DeviceProp::*field;
  int number;
};

using P = abi::DeviceProp;
constexpr Filled<int> int_fields[] = {
    {&P::regsPerBlock, 12},
    {&P::warpSize, 10},
    {&P::maxThreadsPerBlock, 1},
    {&P::major, 75},
    {&P::minor, 76},
    {&P::multiProcessorCount, 16},
    {&P::integrated, 18},
    {&P::canMapHostMemory, 19},
    {&P::maxTexture1D, 21},
    {&P::maxTexture1DMipmap, 77},
    {&P::maxTextureCubemap, 52},
    {&P::maxSurface1D, 55},
    {&P::maxSurfaceCubemap, 66},
    {&P::concurrentKernels, 31},
    {&P::ECCEnabled, 32},
    {&P::pciBusID, 33},
    {&P::pciDeviceID, 34},
    {&P::pciDomainID, 50},
    {&P::tccDriver, 35},
    {&P::asyncEngineCount, 40},
    {&P::unifiedAddressing, 41},
    {&P::memoryBusWidth, 37},
    {&P::l2CacheSize, 38},
    {&P::persistingL2CacheMaxSize, 108},
    {&P::maxThreadsPerMultiProcessor, 39},
    {&P::streamPrioritiesSupported, 78},
    {&P::globalL1CacheSupported, 79},
    {&P::localL1CacheSupported, 80},
    {&P::regsPerMultiprocessor, 82},
    {&P::managedMemory, 83},
    {&P::isMultiGpuBoard, 84},
    {&P::multiGpuBoardGroupID, 85},
    {&P::hostNativeAtomicSupported, 86},
    {&P::pageableMemoryAccess, 88},
    {&P::concurrentManagedAccess, 89},
    {&P::computePreemptionSupported, 90},
    {&P::canUseHostPointerForRegisteredMem, 91},
    {&P::cooperativeLaunch, 95},
    {&P::pageableMemoryAccessUsesHostPageTables, 100},
    {&P::directManagedMemAccessFromHost, 101},
    {&P::maxBlocksPerMultiProcessor, 106},
    {&P::accessPolicyMaxWindowSize, 109},
    {&P::hostRegisterSupported, 99},
    {&P::sparseCudaArraySupported, 112},
    {&P::hostRegisterReadOnlySupported, 113},
    {&P::timelineSemaphoreInteropSupported, 114},
    {&P::memoryPoolsSupported, 115},
    {&P::gpuDirectRDMASupported, 116},
    {&P::gpuDirectRDMAWritesOrdering, 118},
    {&P::deferredMappingCudaArraySupported, 121},
    {&P::ipcEventSupported, 125},
    {&P::clusterLaunch, 120},
    {&P::unifiedFunctionPointers, 129},
    {&P::deviceNumaConfig, 130},
    {&P::deviceNumaId, 131},
    {&P::mpsEnabled, 133},
    {&P::hostNumaId, 134},
    {&P::hostNumaMultinodeIpcSupported, 143},
};
constexpr Filled<std::size_t> size_fields[] = {
    {&P::sharedMemPerBlock, 8},
    {&P::memPitch, 11},
    {&P::totalConstMem, 9},
    {&P::textureAlignment, 14},
    {&P::texturePitchAlignment, 51},
    {&P::surfaceAlignment, 30},
    {&P::sharedMemPerMultiprocessor, 81},
    {&P::sharedMemPerBlockOptin, 97},
    {&P::reservedSharedMemPerBlock, 111},
};
constexpr Filled<unsigned> unsigned_fields[] = {
    {&P::gpuDirectRDMAFlushWritesOptions, 117},
    {&P::memoryPoolSupportedHandleTypes, 119},
    {&P::gpuPciDeviceID, 139},
    {&P::gpuPciSubsystemID, 140},
};

template <std::size_t n>
void fill(int (&field)[n], const DeviceModel& model, const int (&numbers)[n]) {
  for (std::size_t i = 0; i < n; ++i) field[i] = model.attribute(numbers[i]);
}

}  // namespace

bool DeviceModel::known(int number) { return find_row(number) != nullptr; }

int DeviceModel::attribute(int number) const {
  const AttributeRow* row = find_row(number);
  return row == nullptr ? 0 : row->values[this - models];
}

const DeviceModel& device_model(unsigned architecture) {
  const DeviceModel* best = &models[0];
  for (const DeviceModel& model : models)
    if (model.architecture <= architecture) best = &model;
  return *best;
}

abi::DeviceProp DeviceModel::properties() const {
  abi::DeviceProp p{};
  std::snprintf(p.name, sizeof p.name, "%s", name);
  const char uuid[17] = "lanebank emulate";
  std::memcpy(p.uuid.bytes, uuid, sizeof p.uuid.bytes);
  p.totalGlobalMem = memory_bytes;
  for (const auto& [field, number] : int_fields) p.*field = attribute(number);
  for (const auto& [field, number] : size_fields) p.*field = static_cast<std::size_t>(attribute(number));
  for (const auto& [field, number] : unsigned_fields) p.*field = static_cast<unsigned>(attribute(number));
  fill(p.maxThreadsDim, *this, {2, 3, 4});
  fill(p.maxGridSize, *this, {5, 6, 7});
  fill(p.maxTexture2D, *this, {22, 23});
  fill(p.maxTexture2DMipmap, *this, {73, 74});
  fill(p.maxTexture2DLinear, *this, {70, 71, 72});
  fill(p.maxTexture2DGather, *this, {45, 46});
  fill(p.maxTexture3D, *this, {24, 25, 26});
  fill(p.maxTexture3DAlt, *this, {47, 48, 49});
  fill(p.maxTexture1DLayered, *this, {42, 43});
  fill(p.maxTexture2DLayered, *this, {27, 28, 29});
  fill(p.maxTextureCubemapLayered, *this, {53, 54});
  fill(p.maxSurface2D, *this, {56, 57});
  fill(p.maxSurface3D, *this, {58, 59, 60});
  fill(p.maxSurface1DLayered, *this, {61, 62});
  fill(p.maxSurface2DLayered, *this, {63, 64, 65});
  fill(p.maxSurfaceCubemapLayered, *this, {67, 68});
  return p;
}

}  // namespace lanebank::cudart
