// Objects of the program's that graphs keep alive. References are counted: those of the program, and those of graphs, which
// their copies and executable graphs have too. The destructor runs with the last one, at once.
#include <mutex>

#include "cudart/calls.hpp"
#include "cudart/calls/graph_parts.hpp"

namespace lanebank::cudart {

UserObject::~UserObject() { destroy(object); }

namespace calls {
namespace {

/// All objects by handle, the address of the record; and the references of the program.
struct UserObjects {
  struct Held {
    std::shared_ptr<UserObject> object;
    unsigned count = 0;
  };
  std::mutex mutex;
  std::map<UserObjectHandle, std::weak_ptr<UserObject>> all;
  std::map<UserObjectHandle, Held> held;

  std::shared_ptr<UserObject> find(UserObjectHandle handle) {
    const auto found = all.find(handle);
    return found == all.end() ? nullptr : found->second.lock();
  }
};
UserObjects& objects() {
  static UserObjects* const one = new UserObjects;
  return *one;
}

constexpr unsigned most_references = 0x7fffffff;
bool is_count(unsigned count) { return count != 0 && count <= most_references; }

/// Takes references out of a list of counts. The caller lets go of `last` when it holds no lock: a destructor may follow.
template <class List, class Key>
bool take(List& list, const Key& key, unsigned count, std::shared_ptr<UserObject>& last) {
  const auto found = list.find(key);
  if (found == list.end() || found->second.count < count) return false;
  found->second.count -= count;
  if (found->second.count != 0) return true;
  last = found->second.object;
  list.erase(found);
  return true;
}

}  // namespace

Error cudaUserObjectCreate(UserObjectHandle* handle, void* object, HostFunction destroy, unsigned count,
                           unsigned flags) {
  constexpr unsigned no_destructor_sync = 1;
  if (handle == nullptr || destroy == nullptr || !is_count(count) || flags != no_destructor_sync)
    return cudaErrorInvalidValue;
  const auto made = std::make_shared<UserObject>(object, destroy);
  *handle = reinterpret_cast<UserObjectHandle>(made.get());
  std::lock_guard lock(objects().mutex);
  objects().all[*handle] = made;
  objects().held[*handle] = {made, count};
  return cudaSuccess;
}

Error cudaUserObjectRetain(UserObjectHandle handle, unsigned count) {
  std::lock_guard lock(objects().mutex);
  const auto object = objects().find(handle);
  if (!object || !is_count(count)) return cudaErrorInvalidValue;
  UserObjects::Held& held = objects().held[handle];
  held.object = object;
  held.count += count;
  return cudaSuccess;
}

Error cudaUserObjectRelease(UserObjectHandle handle, unsigned count) {
  std::shared_ptr<UserObject> last;
  std::lock_guard lock(objects().mutex);
  return is_count(count) && take(objects().held, handle, count, last) ? cudaSuccess : cudaErrorInvalidValue;
}

Error cudaGraphRetainUserObject(Graph graph, UserObjectHandle handle, unsigned count, unsigned flags) {
  constexpr unsigned move = 1;
  std::shared_ptr<UserObject> last;
  std::lock_guard lock(objects().mutex);
  const auto object = objects().find(handle);
  if (graph == nullptr || !object || !is_count(count) || flags > move) return cudaErrorInvalidValue;
  if (flags == move && !take(objects().held, handle, count, last)) return cudaErrorInvalidValue;
  KeptObject& kept = graph->body->objects[handle];
  kept.object = object;
  kept.count += count;
  return cudaSuccess;
}

Error cudaGraphReleaseUserObject(Graph graph, UserObjectHandle handle, unsigned count) {
  std::shared_ptr<UserObject> last;
  std::lock_guard lock(objects().mutex);
  if (graph == nullptr || !is_count(count)) return cudaErrorInvalidValue;
  return take(graph->body->objects, handle, count, last) ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace calls
}  // namespace lanebank::cudart
