// SPDX-License-Identifier: BSD-3-Clause
//
// Bundles (verify). Nothing may be thrown. With the key, only the signed bundle is genuine; without a key,
// nothing is certified. The result is lines of text. Mutations change the archive, the tar, or one file in
// it, and then everything that a forger without the key can make again: the tar, the sums, the manifest and
// the statement.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "conformance/bundle/bundle.h"
#include "conformance/bundle/consistency.h"
#include "conformance/bundle/statement.h"
#include "conformance/report/document.h"
#include "conformance/report/report.h"
#include "conformance/tests/fuzz/property.h"
#include "conformance/tests/sample_report.h"

using namespace conformance;
using namespace conformance::fuzzing;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed);

namespace {

constexpr Limits kLimits{.archive = 1 << 20, .member = 1 << 20, .tar = 4 << 20};

// A run with a waived finding and one that is not, signed.
struct Signed {
  Profile profile = small_profile();
  PrivateKey key = PrivateKey::generate();
  PublicKey public_key = PublicKey::of(key);
  RunResult run;
  Members files;
  std::string archive;

  Signed() {
    RunResult before = passing_run(profile);
    add_finding(before, "Listen.First", "LISTEN-RET-2", "rdmacm");
    add_finding(before, "Listen.Second", "LISTEN-RET-1", "iut");
    files = files_of(before, profile, waivers_for("LISTEN-RET-2", "rdmacm", "2026-12-01"));
    run = from_json(parse_document(files.at("report.json"), kReportSchema));
    archive = compress(pack_tar(make_members(files, run, packer(), &key)));
  }
};

const Signed& original() {
  static const Signed made;
  return made;
}

std::string mutated(const std::string& text, size_t room) {
  std::string buffer = text;
  buffer.resize(text.size() + room);
  buffer.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(buffer.data()), text.size(), buffer.size()));
  return buffer;
}

// Makes everything that follows from a report again, if it is valid.
std::string forged(Members files) {
  RunResult run = original().run;
  try {
    run = from_json(parse_document(files.at("report.json"), kReportSchema));
    files["junit.xml"] = to_junit(run);
    files["report.json"] = to_json(run).dump(2) + "\n";
  } catch (const DocumentError&) {  // then with the old one's
  }
  return pack_tar(make_members(std::move(files), run, packer(), nullptr));
}

std::string altered(const std::string& tar, unsigned seed) {
  constexpr size_t kRoom = 256;
  const auto names = member_names();
  Members members;
  try {
    members = unpack_tar(tar, names, kLimits);
  } catch (const BadArchive&) {
    return mutated(tar, kRoom);
  }
  if (seed % 8 == 0 || members.empty()) return mutated(tar, kRoom);
  auto victim = std::next(members.begin(), static_cast<std::ptrdiff_t>(seed / 8 % members.size()));
  victim->second = mutated(victim->second, kRoom);
  if (seed % 8 == 1) return pack_tar(members);
  for (const char* made : {kManifest, kStatement, kSums}) members.erase(made);
  if (seed % 8 < 6) members.erase(kEnvelope);
  const bool has_report = members.contains("report.json");
  return has_report ? forged(std::move(members)) : pack_tar(members);
}

void check_text(const std::string& text) {
  must(!text.empty() && text.ends_with('\n'), "what is said are lines");
  must(as_utf8(text) == text, "what is said is UTF-8");
  for (const char c : text)
    must(c == '\n' || static_cast<unsigned char>(c) >= 0x20, "what is said holds no control characters");
}

}  // namespace

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  std::string archive;
  try {
    const std::string given(text_of(data, size));
    const std::string tar = decompress(given.size() < 4 ? original().archive : given, kLimits);
    archive = compress(altered(tar, seed));
  } catch (const BadArchive&) {
    archive = compress(altered(decompress(original().archive, kLimits), seed));
  }
  if (seed % 64 == 7 || archive.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(archive.begin(), archive.end(), data);
  return archive.size();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view archive = text_of(data, size);
  const Signed& known = original();
  static const bool is_good =
      verify(known.archive, {&known.public_key, {known.profile}, kLimits}).is_genuine();
  must(is_good, "what was signed is genuine");
  const Verification with_key = verify(archive, {&known.public_key, {known.profile}, kLimits});
  check_text(with_key.text());
  must(with_key.is_genuine() == (archive == known.archive), "what was not signed is not genuine");
  const Verification without = verify(archive, {nullptr, {known.profile}, kLimits});
  check_text(without.text());
  must(without.exit_code() != 0, "without a key nothing is certified");
  must(without.exit_code() == 4 || without.is_genuine(), "what is not genuine is invalid");
  must(!with_key.is_genuine() || without.is_genuine(), "a key makes nothing worse");
  return 0;
}
