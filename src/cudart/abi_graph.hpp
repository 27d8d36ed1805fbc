// The C types of graphs, as abi.hpp has the others.
#pragma once

#include "cudart/abi.hpp"

namespace lanebank::cudart::abi {

enum GraphNodeType : int {
  cudaGraphNodeTypeKernel = 0,
  cudaGraphNodeTypeMemcpy = 1,
  cudaGraphNodeTypeMemset = 2,
  cudaGraphNodeTypeHost = 3,
  cudaGraphNodeTypeGraph = 4,
  cudaGraphNodeTypeEmpty = 5,
  cudaGraphNodeTypeWaitEvent = 6,
  cudaGraphNodeTypeEventRecord = 7,
  cudaGraphNodeTypeMemAlloc = 10,
  cudaGraphNodeTypeMemFree = 11,
  cudaGraphNodeTypeConditional = 13,
};

enum GraphConditionalNodeType : int {
  cudaGraphCondTypeIf = 0,
  cudaGraphCondTypeWhile = 1,
  cudaGraphCondTypeSwitch = 2,
};

struct ConditionalNodeParams {
  std::uint64_t handle;
  GraphConditionalNodeType type;
  unsigned size;
  Graph* phGraph_out;
};

struct MemcpyNodeParams {
  int flags, reserved[3];
  Memcpy3DParms copyParams;
};

struct ChildGraphNodeParams {
  Graph graph;
  int ownership;  ///< 0: a copy goes into the node; 1: the graph itself
};

struct GraphNodeParams {
  GraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    KernelNodeParams kernel;
    MemcpyNodeParams memcpy;
    MemsetParams memset;
    HostNodeParams host;
    ChildGraphNodeParams graph;
    struct {
      Event event;
    } eventWait, eventRecord;
    MemAllocNodeParams alloc;
    struct {
      void* dptr;
    } free;
    ConditionalNodeParams conditional;
  };
  long long reserved2;
};

enum GraphMemAttribute : int {
  cudaGraphMemAttrUsedMemCurrent = 0,
  cudaGraphMemAttrUsedMemHigh = 1,
  cudaGraphMemAttrReservedMemCurrent = 2,
  cudaGraphMemAttrReservedMemHigh = 3,
};

struct GraphExecUpdateResultInfo {
  int result;
  GraphNode errorNode;
  GraphNode errorFromNode;
};

struct GraphInstantiateParams {
  unsigned long long flags;
  Stream uploadStream;
  GraphNode errNode_out;
  int result_out;
};

struct GraphEdgeData {
  unsigned char from_port = 0, to_port = 0, type = 0, reserved[5] = {};
};

}  // namespace lanebank::cudart::abi
