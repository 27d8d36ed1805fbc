// Our types and numbers are those of the vendor's headers. All of it is decided when this is compiled.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "cudart/abi.hpp"

namespace ours = lanebank::cudart::abi;

#define SAME_SIZE(type, theirs) \
  static_assert(sizeof(ours::type) == sizeof(theirs) && alignof(ours::type) == alignof(theirs))
#define SAME_FIELD(type, theirs, field)                                   \
  static_assert(offsetof(ours::type, field) == offsetof(theirs, field) && \
                sizeof(ours::type::field) == sizeof(theirs::field))
#define SAME_VALUE(name) static_assert(static_cast<int>(ours::name) == static_cast<int>(::name))

SAME_SIZE(Dim3, dim3);
SAME_SIZE(Pos, cudaPos);
SAME_SIZE(Extent, cudaExtent);
SAME_SIZE(PitchedPtr, cudaPitchedPtr);
SAME_SIZE(ChannelFormatDesc, cudaChannelFormatDesc);
SAME_SIZE(Memcpy3DParms, cudaMemcpy3DParms);
SAME_FIELD(Memcpy3DParms, cudaMemcpy3DParms, srcPtr);
SAME_FIELD(Memcpy3DParms, cudaMemcpy3DParms, dstPos);
SAME_FIELD(Memcpy3DParms, cudaMemcpy3DParms, extent);
SAME_FIELD(Memcpy3DParms, cudaMemcpy3DParms, kind);
SAME_SIZE(Memcpy3DPeerParms, cudaMemcpy3DPeerParms);
SAME_FIELD(Memcpy3DPeerParms, cudaMemcpy3DPeerParms, dstDevice);
SAME_FIELD(Memcpy3DPeerParms, cudaMemcpy3DPeerParms, extent);
SAME_SIZE(MemsetParams, cudaMemsetParams);
SAME_FIELD(MemsetParams, cudaMemsetParams, height);
SAME_SIZE(HostNodeParams, cudaHostNodeParams);
SAME_SIZE(KernelNodeParams, cudaKernelNodeParams);
SAME_FIELD(KernelNodeParams, cudaKernelNodeParams, sharedMemBytes);
SAME_FIELD(KernelNodeParams, cudaKernelNodeParams, extra);
SAME_SIZE(PointerAttributes, cudaPointerAttributes);
SAME_FIELD(PointerAttributes, cudaPointerAttributes, hostPointer);
SAME_SIZE(FuncAttributes, cudaFuncAttributes);
SAME_FIELD(FuncAttributes, cudaFuncAttributes, maxDynamicSharedSizeBytes);
SAME_FIELD(FuncAttributes, cudaFuncAttributes, nonPortableClusterSizeAllowed);
SAME_SIZE(LaunchAttributeValue, cudaLaunchAttributeValue);
SAME_SIZE(LaunchAttribute, cudaLaunchAttribute);
SAME_FIELD(LaunchAttribute, cudaLaunchAttribute, val);
SAME_SIZE(LaunchConfig, cudaLaunchConfig_t);
SAME_FIELD(LaunchConfig, cudaLaunchConfig_t, dynamicSmemBytes);
SAME_FIELD(LaunchConfig, cudaLaunchConfig_t, numAttrs);
SAME_SIZE(MemLocation, cudaMemLocation);
SAME_SIZE(MemPoolProps, cudaMemPoolProps);
SAME_FIELD(MemPoolProps, cudaMemPoolProps, location);
SAME_SIZE(MemAccessDesc, cudaMemAccessDesc);
SAME_SIZE(GraphExecUpdateResultInfo, cudaGraphExecUpdateResultInfo);
SAME_SIZE(GraphInstantiateParams, cudaGraphInstantiateParams);
SAME_SIZE(GraphEdgeData, cudaGraphEdgeData);
SAME_SIZE(DeviceProp, cudaDeviceProp);
SAME_FIELD(DeviceProp, cudaDeviceProp, totalGlobalMem);
SAME_FIELD(DeviceProp, cudaDeviceProp, maxGridSize);
SAME_FIELD(DeviceProp, cudaDeviceProp, minor);
SAME_FIELD(DeviceProp, cudaDeviceProp, multiProcessorCount);
SAME_FIELD(DeviceProp, cudaDeviceProp, maxTexture3DAlt);
SAME_FIELD(DeviceProp, cudaDeviceProp, maxSurfaceCubemapLayered);
SAME_FIELD(DeviceProp, cudaDeviceProp, tccDriver);
SAME_FIELD(DeviceProp, cudaDeviceProp, persistingL2CacheMaxSize);
SAME_FIELD(DeviceProp, cudaDeviceProp, sharedMemPerMultiprocessor);
SAME_FIELD(DeviceProp, cudaDeviceProp, cooperativeLaunch);
SAME_FIELD(DeviceProp, cudaDeviceProp, reservedSharedMemPerBlock);
SAME_FIELD(DeviceProp, cudaDeviceProp, gpuDirectRDMAFlushWritesOptions);
SAME_FIELD(DeviceProp, cudaDeviceProp, clusterLaunch);
SAME_FIELD(DeviceProp, cudaDeviceProp, hostNumaMultinodeIpcSupported);

#define ERROR(name, value, text) SAME_VALUE(name);
#include "cudart/errors.def"
#undef ERROR
SAME_VALUE(cudaMemcpyDefault);
SAME_VALUE(cudaMemoryTypeManaged);
SAME_VALUE(cudaLimitPersistingL2CacheSize);
SAME_VALUE(cudaFuncAttributeClusterSchedulingPolicyPreference);
SAME_VALUE(cudaLaunchAttributeClusterDimension);
SAME_VALUE(cudaLaunchAttributeLaunchCompletionEvent);
SAME_VALUE(cudaLaunchAttributePreferredSharedMemoryCarveout);
SAME_VALUE(cudaMemLocationTypeHostNumaCurrent);
SAME_VALUE(cudaMemAdviseUnsetAccessedBy);
SAME_VALUE(cudaMemPoolAttrUsedMemHigh);
SAME_VALUE(cudaStreamCaptureStatusInvalidated);
SAME_VALUE(cudaStreamCaptureModeRelaxed);
SAME_VALUE(cudaGraphNodeTypeMemFree);
SAME_VALUE(cudaDriverEntryPointVersionNotSufficent);

TEST(Abi, DeviceAttributesHaveTheVendorsNumbers) {
  struct Named {
    const char* name;
    int ours, theirs;
  };
  const Named all[] = {
      {"threads", 1, cudaDevAttrMaxThreadsPerBlock},
      {"shared", 8, cudaDevAttrMaxSharedMemoryPerBlock},
      {"registers", 12, cudaDevAttrMaxRegistersPerBlock},
      {"multiprocessors", 16, cudaDevAttrMultiProcessorCount},
      {"major", 75, cudaDevAttrComputeCapabilityMajor},
      {"optin", 97, cudaDevAttrMaxSharedMemoryPerBlockOptin},
      {"reserved", 111, cudaDevAttrReservedSharedMemoryPerBlock},
      {"clusters", 120, cudaDevAttrClusterLaunch},
  };
  for (const Named& row : all) EXPECT_EQ(row.ours, row.theirs) << row.name;
}
