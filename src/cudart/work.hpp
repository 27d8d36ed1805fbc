// Work that streams and graphs hold: kernels, copies, sets, host functions.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "cudart/abi_graph.hpp"

namespace lanebank::cudart {

struct Conditional;

struct KernelWork {
  const void* function = nullptr;  ///< as registered
  abi::Dim3 grid, block;
  abi::Dim3 cluster{0, 0, 0};         ///< of the launch; 0: the kernel's own, or none
  std::size_t shared_bytes = 0;       ///< dynamic
  std::vector<std::byte> parameters;  ///< image of the parameter block
  bool cooperative = false;
};

/// A box of bytes. Rows of `width_bytes`, `height` rows a slice, `depth` slices; one-dimensional copies
/// have one row.
struct CopyWork {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t width_bytes = 0, height = 1, depth = 1;
  std::size_t to_pitch_bytes = 0, to_slice_bytes = 0;  ///< from row to row, from slice to slice
  std::size_t from_pitch_bytes = 0, from_slice_bytes = 0;
};

/// Fills a box with `element_bytes` wide copies of `value`.
struct SetWork {
  std::byte* to = nullptr;
  unsigned value = 0, element_bytes = 1;
  std::size_t width_bytes = 0, height = 1, depth = 1;
  std::size_t pitch_bytes = 0, slice_bytes = 0;
};

struct HostWork {
  abi::HostFunction function = nullptr;
  void* data = nullptr;
};

struct CallbackWork {
  abi::StreamCallback callback = nullptr;
  abi::Stream stream = nullptr;
  void* data = nullptr;
};

struct ChildWork {
  std::shared_ptr<abi::GraphTag> graph;
};

struct ConditionalWork {
  std::shared_ptr<Conditional> conditional;
};

struct RecordWork {
  abi::Event event = nullptr;
};

/// Nothing to do: joins of dependences, waits, and allocations of a graph (graph_memory.hpp).
struct EmptyWork {
  abi::GraphNodeType type = abi::cudaGraphNodeTypeEmpty;
  void* address = nullptr;  ///< of an allocation or its end
  std::size_t bytes = 0;
  abi::Event event = nullptr;  ///< of a wait
};

using Work = std::variant<KernelWork, CopyWork, SetWork, HostWork, CallbackWork, ChildWork, RecordWork, ConditionalWork,
                          EmptyWork>;

/// Runs work to its end. A kernel's fault is kept for the next call that waits (Process::fault); errors are
/// those that the submitting call returns.
abi::Error run(const Work& work);

abi::GraphNodeType type_of(const Work& work);

}  // namespace lanebank::cudart
