// SPDX-License-Identifier: BSD-3-Clause
// The fake's handles. A released handle is overwritten and kept for a while, to detect a second release, and
// so that a use after release reads invalid data instead of a newer object.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <type_traits>

namespace rdmamock {

// T is movable and has a member `pub`, the C structure whose address is the handle.
template <typename T>
class Registry {
 public:
  using Handle = decltype(T::pub);
  static_assert(std::is_trivially_copyable_v<Handle>);

  T& make() {
    std::unique_ptr<T> object;
    if (recycling_ && !released_.empty()) {
      object = std::move(released_.back());
      released_.pop_back();
      *object = T{};
    } else {
      object = std::make_unique<T>();
    }
    T& result = *object;
    live_.emplace(&result.pub, std::move(object));
    return result;
  }

  T* find(const Handle* handle) {
    auto found = live_.find(handle);
    return found == live_.end() ? nullptr : found->second.get();
  }

  bool was_released(const Handle* handle) const {
    for (const auto& object : released_)
      if (&object->pub == handle) return true;
    return false;
  }

  bool has_released() const { return !released_.empty(); }

  void release(T& object) {
    auto node = live_.extract(&object.pub);
    std::memset(&object.pub, 0xd5, sizeof object.pub);
    released_.push_back(std::move(node.mapped()));
    if (released_.size() > kKept) released_.pop_front();
  }

  // From now on a new handle reuses the one released last, as an allocator may do.
  void set_recycling(bool on) { recycling_ = on; }

  template <typename F>
  void each(F&& f) {
    for (auto& [handle, object] : live_) f(*object);
  }

  template <typename P>
  std::uint32_t count(P&& matches) const {
    std::uint32_t n = 0;
    for (const auto& [handle, object] : live_)
      if (matches(*object)) ++n;
    return n;
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(live_.size()); }

 private:
  static constexpr std::size_t kKept = 4096;

  std::map<const Handle*, std::unique_ptr<T>> live_;
  std::deque<std::unique_ptr<T>> released_;
  bool recycling_ = false;
};

}  // namespace rdmamock
