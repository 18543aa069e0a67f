// SPDX-License-Identifier: BSD-3-Clause
//
// Conditions: the device node of rdma_cm is missing, forbidden or another file. A tmpfs covers
// /dev/infiniband and has the same nodes except this one. It is mounted in the child's own mount namespace,
// so that other processes do not see it.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <stdexcept>

#include "conformance/harness/codes.h"
#include "conformance/harness/imposing.h"

namespace conformance {
namespace {

constexpr const char* kFolder = "/dev/infiniband";
constexpr const char* kNode = "/dev/infiniband/rdma_cm";
constexpr const char* kUdevFolder = "/dev/char";

void must(bool done, const char* what) {
  if (!done) throw std::runtime_error(fmt::format("{}: {}", what, error_name(errno)));
}

std::map<std::string, struct stat> nodes() {
  std::map<std::string, struct stat> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(kFolder), closedir);
  must(folder != nullptr, kFolder);
  while (const dirent* entry = readdir(folder.get())) {
    struct stat node {};
    const std::string path = fmt::format("{}/{}", kFolder, entry->d_name);
    if (stat(path.c_str(), &node) == 0 && S_ISCHR(node.st_mode)) found.emplace(path, node);
  }
  return found;
}

class Covered : public Imposed {
 public:
  Covered()
      : namespace_(open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC)),
        root_(open("/", O_PATH | O_CLOEXEC)),
        folder_(open(".", O_PATH | O_CLOEXEC)) {
    const std::map<std::string, struct stat> all = nodes();
    must(unshare(CLONE_NEWNS) == 0, "cannot create a mount namespace (needs CAP_SYS_ADMIN)");
    // Otherwise other namespaces would see the mounts.
    must(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "cannot make mounts private");
    must(mount("tmpfs", kFolder, "tmpfs", 0, "mode=755") == 0, "cannot mount a tmpfs on /dev/infiniband");
    const mode_t mask = umask(0);
    for (const auto& [path, node] : all)
      if (path != kNode) must(mknod(path.c_str(), node.st_mode, node.st_rdev) == 0, path.c_str());
    umask(mask);
  }
  // A file instead of the hidden node.
  static void make_node(mode_t mode, dev_t device) {
    must(mknod(kNode, mode, device) == 0 && chmod(kNode, mode & 07777u) == 0, kNode);
  }
  // Returns to the old namespace, since the paths of descriptors differ in another one. setns() also changes
  // the root and the working directory, so they are restored.
  std::string lift() override {
    const bool done =
        setns(namespace_, CLONE_NEWNS) == 0 && fchdir(root_) == 0 && chroot(".") == 0 && fchdir(folder_) == 0;
    for (const int fd : {namespace_, root_, folder_}) close(fd);
    return done ? "" : "the process cannot return to its mount namespace";
  }

 private:
  int namespace_;
  int root_;
  int folder_;
};

// librdmacm waits up to 5 s for a missing node, but only if it can watch udev's folder. A machine without
// udev has no such folder.
class Awaited : public Covered {
 public:
  Awaited() { must(mkdir(kUdevFolder, 0755) == 0 || errno == EEXIST, kUdevFolder); }
  std::string lift() override {
    remove_udev_folder({});
    return Covered::lift();
  }
};

}  // namespace

ImposedPtr hide_node(Testbed& /*bed*/, const std::string& /*none*/) {
  return std::make_unique<Covered>();
}

ImposedPtr hide_node_for_long(Testbed& /*bed*/, const std::string& /*none*/) {
  return std::make_unique<Awaited>();
}

// A folder that udev created is not empty: rmdir fails and it stays.
std::string remove_udev_folder(const Target& /*target*/) {
  rmdir(kUdevFolder);
  return {};
}

// Mode 0: not even the owner may open it. Root would need capabilities that were dropped.
ImposedPtr forbid_node(Testbed& /*bed*/, const std::string& /*none*/) {
  struct stat node {};
  must(stat(kNode, &node) == 0, kNode);
  auto covered = std::make_unique<Covered>();
  Covered::make_node(S_IFCHR, node.st_rdev);
  return covered;
}

ImposedPtr replace_node(Testbed& /*bed*/, const std::string& by) {
  auto covered = std::make_unique<Covered>();
  if (by == "file")
    Covered::make_node(S_IFREG | 0666, 0);
  else if (by == "null")
    Covered::make_node(S_IFCHR | 0666, makedev(1, 3));
  else if (by == "zero")
    Covered::make_node(S_IFCHR | 0666, makedev(1, 5));
  else
    throw std::runtime_error("unknown condition node-replaced:" + by + "; give file, null or zero");
  return covered;
}

}  // namespace conformance
