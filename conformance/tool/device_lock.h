// SPDX-License-Identifier: BSD-3-Clause
//
// Keeps runs that disturb the whole machine apart from all others on it: what one takes away, another would
// take for a finding.
#pragma once

namespace conformance {

// Held by a run from its first experiment to its end. Waits, and says so, where another run is in the way.
class DeviceLock {
 public:
  // `disturbs`: nobody else may run meanwhile; otherwise only those that disturb may not.
  explicit DeviceLock(bool disturbs);
  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;
  DeviceLock(DeviceLock&&) = delete;
  DeviceLock& operator=(DeviceLock&&) = delete;

 private:
  int fd_;
};

}  // namespace conformance
