// Our types and numbers are those of the vendor's headers. All of it is decided when this is compiled.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "cudart/abi_graph.hpp"
#include "cudart/driver_abi.hpp"

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
static_assert(ours::array_layered == cudaArrayLayered && ours::array_surface_load_store == cudaArraySurfaceLoadStore);
static_assert(ours::array_cubemap == cudaArrayCubemap && ours::array_texture_gather == cudaArrayTextureGather);
static_assert(ours::array_sparse == cudaArraySparse && ours::array_deferred_mapping == cudaArrayDeferredMapping);
SAME_VALUE(cudaResourceTypePitch2D);
SAME_VALUE(cudaChannelFormatKindNone);
SAME_SIZE(ResourceDesc, cudaResourceDesc);
SAME_FIELD(ResourceDesc, cudaResourceDesc, res.linear.sizeInBytes);
SAME_FIELD(ResourceDesc, cudaResourceDesc, res.pitch2D.pitchInBytes);
SAME_FIELD(ResourceDesc, cudaResourceDesc, flags);
SAME_SIZE(TextureDesc, cudaTextureDesc);
SAME_FIELD(TextureDesc, cudaTextureDesc, borderColor);
SAME_FIELD(TextureDesc, cudaTextureDesc, normalizedCoords);
SAME_FIELD(TextureDesc, cudaTextureDesc, seamlessCubemap);
SAME_SIZE(ResourceViewDesc, cudaResourceViewDesc);
SAME_FIELD(ResourceViewDesc, cudaResourceViewDesc, lastLayer);
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
SAME_SIZE(ConditionalNodeParams, cudaConditionalNodeParams);
SAME_FIELD(ConditionalNodeParams, cudaConditionalNodeParams, phGraph_out);
SAME_SIZE(MemcpyNodeParams, cudaMemcpyNodeParams);
SAME_FIELD(MemcpyNodeParams, cudaMemcpyNodeParams, copyParams);
SAME_SIZE(ChildGraphNodeParams, cudaChildGraphNodeParams);
SAME_SIZE(MemAllocNodeParams, cudaMemAllocNodeParamsV2);
SAME_FIELD(MemAllocNodeParams, cudaMemAllocNodeParamsV2, dptr);
SAME_SIZE(GraphNodeParams, cudaGraphNodeParams);
SAME_FIELD(GraphNodeParams, cudaGraphNodeParams, kernel);
SAME_FIELD(GraphNodeParams, cudaGraphNodeParams, conditional);
SAME_FIELD(GraphNodeParams, cudaGraphNodeParams, reserved2);
SAME_SIZE(MemcpyAttributes, cudaMemcpyAttributes);
SAME_FIELD(MemcpyAttributes, cudaMemcpyAttributes, flags);
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
SAME_VALUE(cudaGraphNodeTypeConditional);
SAME_VALUE(cudaGraphCondTypeSwitch);
SAME_VALUE(cudaGraphMemAttrReservedMemHigh);
SAME_VALUE(cudaDriverEntryPointVersionNotSufficent);

// The driver's types.
namespace ours_driver = lanebank::cudart::driver;
#define SAME_DRIVER_SIZE(type, theirs) \
  static_assert(sizeof(ours_driver::type) == sizeof(theirs) && alignof(ours_driver::type) == alignof(theirs))
#define SAME_DRIVER_FIELD(type, theirs, field)                                   \
  static_assert(offsetof(ours_driver::type, field) == offsetof(theirs, field) && \
                sizeof(ours_driver::type::field) == sizeof(theirs::field))
#define SAME_DRIVER_VALUE(name) static_assert(static_cast<int>(ours_driver::name) == static_cast<int>(::name))
SAME_DRIVER_SIZE(Memcpy2D, CUDA_MEMCPY2D);
SAME_DRIVER_FIELD(Memcpy2D, CUDA_MEMCPY2D, srcPitch);
SAME_DRIVER_FIELD(Memcpy2D, CUDA_MEMCPY2D, dstMemoryType);
SAME_DRIVER_FIELD(Memcpy2D, CUDA_MEMCPY2D, Height);
SAME_DRIVER_SIZE(ArrayDescriptor, CUDA_ARRAY_DESCRIPTOR);
SAME_DRIVER_FIELD(ArrayDescriptor, CUDA_ARRAY_DESCRIPTOR, NumChannels);
SAME_DRIVER_SIZE(ArrayDescriptor3D, CUDA_ARRAY3D_DESCRIPTOR);
SAME_DRIVER_FIELD(ArrayDescriptor3D, CUDA_ARRAY3D_DESCRIPTOR, Flags);
SAME_DRIVER_SIZE(ResourceDesc, CUDA_RESOURCE_DESC);
SAME_DRIVER_FIELD(ResourceDesc, CUDA_RESOURCE_DESC, res.linear.sizeInBytes);
SAME_DRIVER_FIELD(ResourceDesc, CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes);
SAME_DRIVER_FIELD(ResourceDesc, CUDA_RESOURCE_DESC, flags);
SAME_DRIVER_SIZE(TextureDesc, CUDA_TEXTURE_DESC);
SAME_DRIVER_FIELD(TextureDesc, CUDA_TEXTURE_DESC, flags);
SAME_DRIVER_FIELD(TextureDesc, CUDA_TEXTURE_DESC, borderColor);
SAME_DRIVER_VALUE(CU_AD_FORMAT_FLOAT);
SAME_DRIVER_VALUE(CU_AD_FORMAT_SIGNED_INT16);
SAME_DRIVER_SIZE(Memcpy3D, CUDA_MEMCPY3D);
SAME_DRIVER_FIELD(Memcpy3D, CUDA_MEMCPY3D, srcMemoryType);
SAME_DRIVER_FIELD(Memcpy3D, CUDA_MEMCPY3D, dstHeight);
SAME_DRIVER_FIELD(Memcpy3D, CUDA_MEMCPY3D, Depth);
SAME_DRIVER_SIZE(AllocationProp, CUmemAllocationProp);
SAME_DRIVER_FIELD(AllocationProp, CUmemAllocationProp, location);
SAME_DRIVER_FIELD(AllocationProp, CUmemAllocationProp, allocFlags);
SAME_DRIVER_SIZE(LaunchConfig, CUlaunchConfig);
SAME_DRIVER_FIELD(LaunchConfig, CUlaunchConfig, hStream);
SAME_DRIVER_FIELD(LaunchConfig, CUlaunchConfig, numAttrs);
SAME_DRIVER_SIZE(KernelNodeParams, CUDA_KERNEL_NODE_PARAMS);
SAME_DRIVER_FIELD(KernelNodeParams, CUDA_KERNEL_NODE_PARAMS, extra);
SAME_DRIVER_FIELD(KernelNodeParams, CUDA_KERNEL_NODE_PARAMS, ctx);
SAME_DRIVER_SIZE(MemcpyNodeParams, CUDA_MEMCPY_NODE_PARAMS);
SAME_DRIVER_FIELD(MemcpyNodeParams, CUDA_MEMCPY_NODE_PARAMS, copyParams);
SAME_DRIVER_SIZE(MemsetNodeParams, CUDA_MEMSET_NODE_PARAMS_v2);
SAME_DRIVER_FIELD(MemsetNodeParams, CUDA_MEMSET_NODE_PARAMS_v2, ctx);
SAME_DRIVER_SIZE(ConditionalNodeParams, CUDA_CONDITIONAL_NODE_PARAMS);
SAME_DRIVER_FIELD(ConditionalNodeParams, CUDA_CONDITIONAL_NODE_PARAMS, ctx);
SAME_DRIVER_SIZE(GraphNodeParams, CUgraphNodeParams);
SAME_DRIVER_FIELD(GraphNodeParams, CUgraphNodeParams, kernel);
SAME_DRIVER_FIELD(GraphNodeParams, CUgraphNodeParams, reserved2);
static_assert(sizeof(ours::MemsetParams) == sizeof(CUDA_MEMSET_NODE_PARAMS));
static_assert(offsetof(ours::MemsetParams, width) == offsetof(CUDA_MEMSET_NODE_PARAMS, width));
static_assert(sizeof(ours::LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(sizeof(ours::MemPoolProps) == sizeof(CUmemPoolProps));
static_assert(sizeof(ours::MemLocation) == sizeof(CUmemLocation));
static_assert(sizeof(ours::GraphEdgeData) == sizeof(CUgraphEdgeData));
SAME_DRIVER_VALUE(CU_MEMORYTYPE_HOST);
SAME_DRIVER_VALUE(CU_MEMORYTYPE_UNIFIED);
SAME_DRIVER_VALUE(CU_POINTER_ATTRIBUTE_CONTEXT);
SAME_DRIVER_VALUE(CU_POINTER_ATTRIBUTE_IS_MANAGED);
SAME_DRIVER_VALUE(CU_POINTER_ATTRIBUTE_RANGE_SIZE);
SAME_DRIVER_VALUE(CU_POINTER_ATTRIBUTE_MAPPED);
SAME_DRIVER_VALUE(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
SAME_DRIVER_VALUE(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
static_assert(static_cast<int>(ours::cudaFuncAttributeMaxDynamicSharedMemorySize) ==
              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(static_cast<int>(ours::cudaFuncAttributeClusterSchedulingPolicyPreference) ==
              CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);

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
