// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects of one kind that programs hold handles of. A handle is the object's address; one that
// is wrong, or that was destroyed, is found out here and not by a crash.
#ifndef HEDDLE_RUNTIME_EMULATOR_DRIVER_HANDLES_H
#define HEDDLE_RUNTIME_EMULATOR_DRIVER_HANDLES_H

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace heddle::emulator {

template <typename T> class Handles {
public:
  static Handles &get() {
    static Handles *handles = new Handles(); // calls may come until the process ends
    return *handles;
  }

  T *add(std::unique_ptr<T> object) {
    std::lock_guard lock(mutex);
    T *raw = object.get();
    objects[raw] = std::move(object);
    return raw;
  }
  /// Null: it is none.
  T *find(const void *handle) const {
    std::lock_guard lock(mutex);
    auto found = objects.find(handle);
    return found == objects.end() ? nullptr : found->second.get();
  }
  /// The object, which is no handle any more; null: it was none.
  std::unique_ptr<T> take(const void *handle) {
    std::lock_guard lock(mutex);
    auto found = objects.find(handle);
    if (found == objects.end())
      return nullptr;
    std::unique_ptr<T> object = std::move(found->second);
    objects.erase(found);
    return object;
  }
  std::vector<T *> all() const {
    std::lock_guard lock(mutex);
    std::vector<T *> result;
    for (const auto &[raw, object] : objects)
      result.push_back(object.get());
    return result;
  }

private:
  mutable std::mutex mutex;
  std::unordered_map<const void *, std::unique_ptr<T>> objects;
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_DRIVER_HANDLES_H
