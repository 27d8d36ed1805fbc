// Attributes of kernel nodes, nodes that are switched off, the device's memory for graphs.
#include "cudart/calls.hpp"
#include "cudart/calls/graph_parts.hpp"
#include "cudart/launch.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart::calls {
namespace {

/// Those that a kernel node has; of the others a device says nothing.
bool is_attribute(LaunchAttributeId attribute) {
  switch (attribute) {
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeCooperative:
    case cudaLaunchAttributeClusterDimension:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredClusterDimension:
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
      return true;
    default:
      return false;
  }
}

/// The node that a launch runs, if it can be switched off.
GraphNode switchable(GraphExec exec, GraphNode node) {
  GraphNode own = node_of_exec(exec, node);
  if (own == nullptr) return nullptr;
  const GraphNodeType type = type_of(own->work);
  return type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset
             ? own
             : nullptr;
}

}  // namespace

Error cudaGraphKernelNodeGetAttribute(GraphNode node, LaunchAttributeId attribute, LaunchAttributeValue* value) {
  const auto* work = work_of<KernelWork>(node);
  if (work == nullptr || value == nullptr || !is_attribute(attribute)) return cudaErrorInvalidValue;
  *value = {};
  if (attribute == cudaLaunchAttributeCooperative)
    value->cooperative = work->cooperative ? 1 : 0;
  else if (attribute == cudaLaunchAttributeClusterDimension)
    value->clusterDim = {work->cluster.x, work->cluster.y, work->cluster.z};
  else if (const auto found = node->attributes.find(attribute); found != node->attributes.end())
    *value = found->second;
  return cudaSuccess;
}

Error cudaGraphKernelNodeSetAttribute(GraphNode node, LaunchAttributeId attribute, const LaunchAttributeValue* value) {
  auto* work = work_of<KernelWork>(node);
  if (work == nullptr || value == nullptr || !is_attribute(attribute)) return cudaErrorInvalidValue;
  if (attribute != cudaLaunchAttributeCooperative && attribute != cudaLaunchAttributeClusterDimension) {
    node->attributes[attribute] = *value;
    return cudaSuccess;
  }
  KernelWork changed = *work;
  if (attribute == cudaLaunchAttributeCooperative)
    changed.cooperative = value->cooperative != 0;
  else
    changed.cluster = {value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
  const KernelLookup found = find_kernel(work->function);
  if (found.error != cudaSuccess) return found.error;
  const Error error = check_launch(*found.kernel, found.code(), changed);
  if (error == cudaSuccess) *work = std::move(changed);
  return error;
}

Error cudaGraphKernelNodeCopyAttributes(GraphNode to, GraphNode from) {
  auto *target = work_of<KernelWork>(to), *source = work_of<KernelWork>(from);
  if (target == nullptr || source == nullptr) return cudaErrorInvalidValue;
  target->cooperative = source->cooperative;
  target->cluster = source->cluster;
  to->attributes = from->attributes;
  return cudaSuccess;
}

Error cudaGraphNodeGetEnabled(GraphExec exec, GraphNode node, unsigned* is_enabled) {
  GraphNode own = switchable(exec, node);
  if (own == nullptr || is_enabled == nullptr) return cudaErrorInvalidValue;
  *is_enabled = own->enabled ? 1 : 0;
  return cudaSuccess;
}

Error cudaGraphNodeSetEnabled(GraphExec exec, GraphNode node, unsigned is_enabled) {
  GraphNode own = switchable(exec, node);
  if (own == nullptr) return cudaErrorInvalidValue;
  own->enabled = is_enabled != 0;
  return cudaSuccess;
}

Error cudaDeviceGetGraphMemAttribute(int device, GraphMemAttribute attribute, void* value) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (value == nullptr || attribute < cudaGraphMemAttrUsedMemCurrent || attribute > cudaGraphMemAttrReservedMemHigh)
    return cudaErrorInvalidValue;
  *static_cast<std::uint64_t*>(value) = GraphMemory::get().figure(attribute);
  return cudaSuccess;
}

Error cudaDeviceSetGraphMemAttribute(int device, GraphMemAttribute attribute, void* value) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (value == nullptr || (attribute != cudaGraphMemAttrUsedMemHigh && attribute != cudaGraphMemAttrReservedMemHigh))
    return cudaErrorInvalidValue;
  if (*static_cast<std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
  GraphMemory::get().forget_high(attribute);
  return cudaSuccess;
}

Error cudaDeviceGraphMemTrim(int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  GraphMemory::get().trim();
  return cudaSuccess;
}

}  // namespace lanebank::cudart::calls
