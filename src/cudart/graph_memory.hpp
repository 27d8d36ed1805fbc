// Memory that graphs allocate: an address is fixed when a node is made, memory is taken when the graph runs.
//
// A device keeps what a graph has given back for the next launches: those of the same stream at once, those of other streams
// when the host has waited for the launch that used it. `trim` gives back what no allocation holds. Figures count bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "cudart/abi_graph.hpp"

namespace lanebank::cudart {

/// Addresses that allocation nodes of one graph use, one after the other.
struct GraphRegion {
  GraphRegion(std::uint64_t first, std::size_t size) : address(first), bytes(size) {}
  ~GraphRegion();
  GraphRegion(const GraphRegion&) = delete;
  GraphRegion& operator=(const GraphRegion&) = delete;

  /// An allocation node, and the node that frees it; null: a launch leaves it to the program.
  struct Use {
    std::uint64_t address;
    std::size_t bytes;
    const abi::GraphNodeTag *node, *end;
  };
  bool contains(std::uint64_t at) const { return at >= address && at - address < bytes; }
  /// The lowest address for so many bytes where every other use has ended before, by the nodes in `before`; 0: none.
  std::uint64_t place_for(std::size_t size, const std::set<const abi::GraphNodeTag*>& before) const;
  /// The use of an address that no node ends; null when there is none.
  Use* open_use(std::uint64_t at);

  const std::uint64_t address;
  const std::size_t bytes;
  std::vector<Use> uses;
  std::set<std::uint64_t> live;  ///< left to the program, and not freed
};
using GraphRegions = std::set<std::shared_ptr<GraphRegion>>;

/// Where an allocation lies; the region is null when there is no room.
struct GraphPlace {
  std::shared_ptr<GraphRegion> region;
  std::uint64_t address = 0;
};

class GraphMemory {
 public:
  static GraphMemory& get();

  /// Fresh addresses for an allocation; null when there are none.
  std::shared_ptr<GraphRegion> reserve(std::size_t bytes);
  /// The region that holds an address; null for other memory.
  std::shared_ptr<GraphRegion> find(std::uint64_t address);

  /// What a launch does with memory: regions that it allocates, and allocations of other graphs that it frees.
  struct Launch {
    abi::Stream stream = nullptr;
    GraphRegions allocated;
    std::set<std::uint64_t> freed;
    bool frees_first = false;  ///< what the last launch has left (cudaGraphInstantiateFlagAutoFreeOnLaunch)
  };
  abi::Error begin(const Launch& launch);
  void end(const Launch& launch);
  /// A call frees an allocation: for launches of `stream`, or for all. False when it is not in use.
  bool release(std::uint64_t address, std::optional<abi::Stream> stream);

  /// The host has waited for a stream, or for all.
  void settle(std::optional<abi::Stream> stream = std::nullopt);
  void trim();

  std::uint64_t figure(abi::GraphMemAttribute attribute);
  /// The highest figure so far becomes the current one.
  void forget_high(abi::GraphMemAttribute attribute);
  /// Bytes that the device's memory counts for addresses, although they are not taken.
  std::uint64_t address_bytes();

 private:
  friend struct GraphRegion;
  std::uint64_t in_use() const;
  std::shared_ptr<GraphRegion> find_locked(std::uint64_t address) const;
  void leave(const std::shared_ptr<GraphRegion>& region, std::uint64_t address, std::uint64_t& to);

  std::mutex mutex_;
  std::map<std::uint64_t, std::weak_ptr<GraphRegion>> regions_;
  std::set<std::shared_ptr<GraphRegion>> live_;      ///< outlives its graph
  std::map<abi::Stream, std::uint64_t> returned_;    ///< by launches that the host has not waited for
  std::uint64_t idle_ = 0, running_ = 0, held_ = 0;  ///< free for all; of launches; of live regions
  std::uint64_t address_bytes_ = 0, used_high_ = 0, reserved_high_ = 0;
};

}  // namespace lanebank::cudart
