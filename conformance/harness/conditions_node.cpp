// SPDX-License-Identifier: BSD-3-Clause
//
// Conditions: the device node of rdma_cm missing, forbidden or something else. Made in a mount namespace of
// the child's own, so that nobody else sees it: a file system in memory covers /dev/infiniband, with the same
// nodes but for the one in question.
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
    must(unshare(CLONE_NEWNS) == 0, "a mount namespace of one's own (needs CAP_SYS_ADMIN)");
    // Without this, mounts would show in everybody else's namespace.
    must(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "making mounts private");
    must(mount("tmpfs", kFolder, "tmpfs", 0, "mode=755") == 0, "a mount on /dev/infiniband");
    const mode_t mask = umask(0);
    for (const auto& [path, node] : all)
      if (path != kNode) must(mknod(path.c_str(), node.st_mode, node.st_rdev) == 0, path.c_str());
    umask(mask);
  }
  // A file in the place of the hidden node.
  static void make_node(mode_t mode, dev_t device) {
    must(mknod(kNode, mode, device) == 0 && chmod(kNode, mode & 07777u) == 0, kNode);
  }
  // Back, and not only uncovered: seen from another namespace, descriptors have other paths. Entering one
  // leaves its very root as ours.
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

// librdmacm waits up to 5 s for a node that is missing, but only where it can watch udev's folder, which a
// machine without udev lacks.
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

// Where udev made it, it is not empty and stays.
std::string remove_udev_folder(const Target& /*target*/) {
  rmdir(kUdevFolder);
  return {};
}

// Nobody may, not even its owner; root needs its capabilities, which are gone.
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
    throw std::runtime_error("node-replaced:file, null or zero");
  return covered;
}

}  // namespace conformance
