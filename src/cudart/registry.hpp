// What the program registered: kernels by the address of their host stub, variables by the address of
// their host shadow. Reads the shim's log when asked and looks code up in the engine at first use.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cudart/abi.hpp"
#include "cudart/shim/interface.h"
#include "session/engine.hpp"

namespace lanebank::cudart {

/// What cudaFuncSetAttribute set for a kernel.
struct KernelSettings {
  std::optional<std::uint32_t> max_dynamic_shared_bytes;
  int carveout_percent = -1;
  int required_cluster[3] = {0, 0, 0};
  bool non_portable_cluster = false;
  int cluster_policy = 0;
  int cache_preference = 0;
};

/// A registered kernel. `code` is looked up once.
struct Kernel {
  const void* host = nullptr;
  std::size_t fatbin = 0;  ///< of the engine
  std::string symbol;
  std::optional<Result<session::KernelReference>> code;
  KernelSettings settings;
};

/// A registered variable; `found` is {address, bytes}.
struct Variable {
  std::size_t fatbin = 0;
  std::string symbol;
  bool managed = false;
  std::optional<Result<std::pair<std::uint64_t, std::uint64_t>>> found;
};

class Registry {
 public:
  /// Takes in what the shim recorded since the last time.
  void refresh(session::Engine& engine);

  /// The kernel of a host stub (or of a handle that `add_kernel` gave); null: not registered. Its code is
  /// looked up; a failure is told once on stderr.
  std::shared_ptr<Kernel> kernel(session::Engine& engine, const void* host);
  std::shared_ptr<Variable> variable(session::Engine& engine, const void* host);

  /// Places the managed variables of a registered fatbin, so that host code can reach them.
  void place_managed(session::Engine& engine, void** handle);

  /// Whether the address lies in a managed variable that host code can reach.
  bool is_managed(const void* address);

  /// A kernel without host stub (of a library loaded at run time); its handle is its own address.
  std::shared_ptr<Kernel> add_kernel(std::size_t fatbin, std::string symbol);
  void remove_fatbin(session::Engine& engine, std::size_t fatbin);

 private:
  struct Managed {
    void** pointer;  ///< of the program, to be filled in
    std::shared_ptr<Variable> variable;
  };
  void take(session::Engine& engine, const lanebank_registration& record, bool ends_later);
  void take_fatbin(session::Engine& engine, const lanebank_registration& record);
  void forget(session::Engine& engine, std::size_t fatbin);
  void refresh_locked(session::Engine& engine);
  const Result<std::pair<std::uint64_t, std::uint64_t>>& found(session::Engine& engine, Variable& variable);

  std::recursive_mutex mutex_;
  std::size_t taken_ = 0;                            ///< records of the shim's log
  std::unordered_map<void**, std::size_t> fatbins_;  ///< the program's handle -> the engine's
  std::unordered_map<const void*, std::shared_ptr<Kernel>> kernels_;
  std::unordered_map<const void*, std::shared_ptr<Variable>> variables_;
  std::vector<Managed> managed_;
};

}  // namespace lanebank::cudart
