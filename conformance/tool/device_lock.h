// SPDX-License-Identifier: BSD-3-Clause
//
// Keeps runs that disturb the whole machine apart from all others on it: a device that one run takes away
// would be a finding of another.
#pragma once

namespace conformance {

// Held by a run from its first experiment to its end. Waits for other runs, and prints that it waits.
class DeviceLock {
 public:
  // `disturbs`: excludes all other runs; otherwise only those that disturb.
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
