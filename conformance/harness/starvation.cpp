// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/starvation.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace conformance {

ProcessorTime processor_time(pid_t process) {
  namespace fs = std::filesystem;
  ProcessorTime time;
  std::error_code gone;  // a thread or the process has ended
  for (fs::directory_iterator thread(fmt::format("/proc/{}/task", process), gone), end;
       !gone && thread != end; thread.increment(gone)) {
    std::ifstream file(thread->path() / "schedstat");
    int64_t ran = 0;
    int64_t delayed = 0;
    if (!(file >> ran >> delayed)) continue;
    time.ran += std::chrono::nanoseconds(ran);
    time.waited += std::chrono::nanoseconds(delayed);
  }
  return time;
}

}  // namespace conformance
