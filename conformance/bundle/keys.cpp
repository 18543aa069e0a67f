// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/bundle/keys.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include "conformance/harness/library.h"
#include "conformance/report/digest.h"
#include "conformance/report/document.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;
struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

constexpr size_t kMostOfAKey = size_t{64} << 10;  // bytes; a key has some hundred
constexpr const char* kHowToMake =
    "make an Ed25519 key with: openssl genpkey -algorithm ed25519 -out key.pem";

constexpr const char* kHowToMakePublic =
    "make it from a private key with: openssl pkey -in key.pem -pubout -out key.pub";

constexpr std::string_view kBegin = "-----BEGIN ";  // of anything in PEM

Expected key_file(std::string_view what, std::string_view hint) {
  return {.what = what, .hint = hint, .most_bytes = kMostOfAKey, .pipes = true};
}

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Bio reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string content_of(BIO* bio) {
  char* start = nullptr;
  const long size = BIO_get_mem_data(bio, &start);
  return {start, static_cast<size_t>(size)};
}

// Never ask for a passphrase: a CI job would wait forever.
int no_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

bool is_ed25519(const KeyHandle& key) {
  return EVP_PKEY_is_a(key.get(), "ED25519") == 1;
}

std::string id_of(const EVP_PKEY* key) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key, &der);
  if (size <= 0) throw std::runtime_error("cannot write a public key");
  std::string digest = sha256({reinterpret_cast<const char*>(der), static_cast<size_t>(size)});
  OPENSSL_free(der);
  return digest;
}

void need_secrecy(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) == 0 && (status.st_mode & (S_IRWXO | S_IWGRP)) != 0)
    throw SetupError(
        fmt::format("other users can read the private key {0}; use: chmod 600 {0}", file.string()));
}

}  // namespace

PrivateKey PrivateKey::read(const fs::path& file) {
  const std::string pem = read_file(file, key_file("private key", kHowToMake));
  bool asked = false;
  const Bio bio = reader(pem);
  KeyHandle key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, &asked));
  ERR_clear_error();
  if (!key && asked)
    throw SetupError(
        fmt::format("the private key {0} is protected by a passphrase; sign with a copy without one, made "
                    "by: openssl pkey "
                    "-in {0} -out FILE",
                    file.string()));
  if (!key && pem.find("-----BEGIN PUBLIC KEY-----") != std::string::npos)
    throw SetupError(fmt::format("{} is a public key; --key needs the private key", file.string()));
  if (!key) throw SetupError(fmt::format("{} is not a private key in PEM; {}", file.string(), kHowToMake));
  if (!is_ed25519(key))
    throw SetupError(fmt::format("the private key {} is not an Ed25519 key; {}", file.string(), kHowToMake));
  need_secrecy(file);
  return PrivateKey(std::move(key));
}

PrivateKey PrivateKey::generate() {
  KeyHandle key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  if (!key) throw std::runtime_error("cannot make a key");
  return PrivateKey(std::move(key));
}

std::string PrivateKey::sign(std::string_view message) const {
  const Context context(EVP_MD_CTX_new());
  size_t size = 64;
  std::string signature(size, '\0');
  if (EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes(message),
                     message.size()) != 1 ||
      size != signature.size())
    throw std::runtime_error("cannot sign");
  return signature;
}

std::string PrivateKey::id() const {
  return id_of(key_.get());
}

std::string PrivateKey::public_pem() const {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PUBKEY(bio.get(), key_.get()) != 1) throw std::runtime_error("cannot write a public key");
  return content_of(bio.get());
}

std::string PrivateKey::private_pem() const {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    throw std::runtime_error("cannot write a private key");
  return content_of(bio.get());
}

PublicKey PublicKey::read(const fs::path& file) {
  const std::string pem = read_file(file, key_file("public key", kHowToMakePublic));
  const Bio bio = reader(pem);
  bool asked = false;
  KeyHandle key(PEM_read_bio_PUBKEY(bio.get(), nullptr, no_passphrase, &asked));
  ERR_clear_error();
  if (!key && pem.find("PRIVATE KEY-----") != std::string::npos)
    throw SetupError(
        fmt::format("{0} is a private key; make the public key with: openssl pkey -in {0} -pubout -out FILE",
                    file.string()));
  if (!key)
    throw SetupError(fmt::format("{} is not a public key in PEM; {}", file.string(), kHowToMakePublic));
  if (pem.find(kBegin, pem.find(kBegin) + 1) != std::string::npos)
    throw SetupError(
        fmt::format("{} has more than one key; name a file with the key of the signer", file.string()));
  if (!is_ed25519(key))
    throw SetupError(fmt::format("the public key {} is not an Ed25519 key; {}", file.string(), kHowToMake));
  return PublicKey(std::move(key));
}

PublicKey PublicKey::of(const PrivateKey& key) {
  const std::string pem = key.public_pem();
  const Bio bio = reader(pem);
  return PublicKey(KeyHandle(PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr)));
}

bool PublicKey::verify(std::string_view message, std::string_view signature) const {
  const Context context(EVP_MD_CTX_new());
  const bool right = EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
                     EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(message),
                                      message.size()) == 1;
  ERR_clear_error();
  return right;
}

std::string PublicKey::id() const {
  return id_of(key_.get());
}

}  // namespace conformance
