// SPDX-License-Identifier: BSD-3-Clause
//
// Ed25519 keys as PEM files:
//
//   openssl genpkey -algorithm ed25519 -out key.pem
//   openssl pkey -in key.pem -pubout -out key.pub
#pragma once

#include <openssl/evp.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace conformance {

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using KeyHandle = std::unique_ptr<EVP_PKEY, FreeKey>;

class PrivateKey {
 public:
  // Throws SetupError with one clear line: no such file, not Ed25519, a public key, protected by a
  // passphrase, or a file that others can read.
  static PrivateKey read(const std::filesystem::path& file);
  static PrivateKey generate();  // for tests

  [[nodiscard]] std::string sign(std::string_view message) const;
  [[nodiscard]] std::string id() const;  // of the public key that belongs to it
  [[nodiscard]] std::string public_pem() const;
  [[nodiscard]] std::string private_pem() const;

 private:
  explicit PrivateKey(KeyHandle key) : key_(std::move(key)) {}
  KeyHandle key_;
};

class PublicKey {
 public:
  static PublicKey read(const std::filesystem::path& file);  // throws SetupError
  static PublicKey of(const PrivateKey& key);

  [[nodiscard]] bool verify(std::string_view message, std::string_view signature) const;
  // SHA-256 of the DER form (SubjectPublicKeyInfo), hexadecimal: openssl pkey -pubin -in key.pub -outform DER
  // | sha256sum
  [[nodiscard]] std::string id() const;

 private:
  explicit PublicKey(KeyHandle key) : key_(std::move(key)) {}
  KeyHandle key_;
};

}  // namespace conformance
