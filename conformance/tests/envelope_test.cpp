// SPDX-License-Identifier: BSD-3-Clause
//
// Keys and the envelope of a signature, also against what openssl(1) makes of them.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "conformance/bundle/dsse.h"
#include "conformance/bundle/files.h"
#include "conformance/bundle/keys.h"
#include "conformance/harness/library.h"
#include "conformance/report/digest.h"
#include "conformance/tool/process.h"
#include "conformance/tool/temporary_folder.h"

namespace conformance {
namespace {

using testing::HasSubstr;

constexpr std::string_view kType = "http://example.com/HelloWorld";

std::string why_refused(const std::function<void()>& act) {
  try {
    act();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

void shell(const std::string& line) {
  ASSERT_EQ(run_program({"sh", "-ec", line}), 0) << line;
}

// The vector of the specification.
TEST(Envelope, EncodesAsTheSpecificationShows) {
  EXPECT_EQ(pre_authentication_encoding(kType, "hello world"),
            "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
  EXPECT_EQ(pre_authentication_encoding("", ""), "DSSEv1 0  0 ");
}

TEST(Envelope, Base64IsThatOfTheRfc) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : vectors) {
    EXPECT_EQ(base64(plain), encoded);
    EXPECT_EQ(from_base64(encoded), plain);
  }
  for (const char* wrong : {"Zg", "Zg=", "Zh==", "Zg==\n", " Zg==", "Zm9v====", "Zm-_", "====", "Z"})
    EXPECT_EQ(from_base64(wrong), std::nullopt) << wrong;
}

TEST(Envelope, IsVerifiedByItsKeyAlone) {
  const PrivateKey key = PrivateKey::generate();
  const Envelope envelope = open_envelope(seal(kType, "hello world", key).text());
  EXPECT_EQ(envelope.payload, "hello world");
  EXPECT_EQ(envelope.key_id, key.id());
  EXPECT_TRUE(envelope.is_signed_by(PublicKey::of(key)));
  EXPECT_FALSE(envelope.is_signed_by(PublicKey::of(PrivateKey::generate())));
}

TEST(Envelope, AlteredPayloadTypeOrSignatureIsNoticed) {
  const PrivateKey key = PrivateKey::generate();
  const Envelope good = seal(kType, "hello world", key);
  const PublicKey pub = PublicKey::of(key);
  Envelope altered = good;
  altered.payload = "hello World";
  EXPECT_FALSE(altered.is_signed_by(pub));
  altered = good;
  altered.type = "http://example.com/HelloWorlds";
  EXPECT_FALSE(altered.is_signed_by(pub));
  for (size_t at = 0; at < good.signature.size(); ++at) {
    altered = good;
    altered.signature[at] = static_cast<char>(altered.signature[at] ^ 1);
    EXPECT_FALSE(altered.is_signed_by(pub)) << at;
  }
  altered = good;
  altered.signature.pop_back();
  EXPECT_FALSE(altered.is_signed_by(pub));
}

TEST(Envelope, HasOneFormAlone) {
  const std::string text = seal(kType, "hello world", PrivateKey::generate()).text();
  EXPECT_EQ(open_envelope(text).text(), text);
  EXPECT_NE(why_refused([&] { open_envelope(" " + text); }), "accepted");
  EXPECT_NE(why_refused([&] { open_envelope(text + "\n"); }), "accepted");
  EXPECT_NE(why_refused([&] { open_envelope(text.substr(0, text.size() - 1)); }), "accepted");
  EXPECT_THAT(why_refused([] { open_envelope("{}"); }), HasSubstr("DSSE envelope"));
  EXPECT_THAT(why_refused([] { open_envelope(R"({"payload":1,"payloadType":"","signatures":[{}]})"); }),
              HasSubstr("DSSE envelope"));
  EXPECT_THAT(why_refused([] { open_envelope(R"({"payload":"","payloadType":"","signatures":[]})"); }),
              HasSubstr("exactly one signature"));
}

TEST(Keys, OfOpensslAreReadAndItsSignaturesAgree) {
  const TemporaryFolder folder;
  const std::string key = folder.path() / "key.pem";
  const std::string pub = folder.path() / "key.pub";
  shell("openssl genpkey -algorithm ed25519 -out " + key);
  shell("openssl pkey -in " + key + " -pubout -out " + pub);
  const PrivateKey mine = PrivateKey::read(key);
  EXPECT_EQ(PublicKey::read(pub).id(), mine.id());
  const std::string in = folder.path();
  std::ofstream(in + "/message") << pre_authentication_encoding(kType, "hello world");
  std::ofstream(in + "/signature", std::ios::binary) << seal(kType, "hello world", mine).signature;
  shell("openssl pkeyutl -verify -pubin -inkey " + pub + " -rawin -in " + in + "/message -sigfile " + in +
        "/signature");
  shell("test \"$(openssl pkey -pubin -in " + pub +
        " -outform DER | sha256sum | cut -c 1-64)\" = " + mine.id());
}

TEST(Keys, ThatCannotBeUsedAreRefusedInOneLine) {
  const TemporaryFolder folder;
  const std::string in = folder.path();
  shell("cd " + in +
        " && openssl genpkey -algorithm ed25519 -out key && openssl pkey -in key -pubout -out pub"
        " && openssl pkey -in key -aes256 -passout pass:x -out locked"
        " && openssl genpkey -algorithm ed448 -out other && openssl pkey -in other -pubout -out other.pub"
        " && echo nonsense >nonsense && chmod 600 nonsense && cp key open && chmod 644 open && ln -s key link"
        " && mkfifo pipe && cp pub pub.open && chmod 644 pub.open && cp key pub.private && chmod 600 pub && "
        "truncate -s 70000 huge");
  const auto private_key = [&](const char* name) {
    return why_refused([&] { PrivateKey::read(in + "/" + name); });
  };
  const auto public_key = [&](const char* name) {
    return why_refused([&] { PublicKey::read(in + "/" + name); });
  };
  EXPECT_EQ(private_key("key"), "accepted");
  EXPECT_THAT(private_key("none"), HasSubstr("cannot read the private key"));
  EXPECT_THAT(private_key("pub"), HasSubstr("is a public key"));
  EXPECT_THAT(private_key("pub.open"), HasSubstr("is a public key")) << "of any mode";
  EXPECT_THAT(private_key("locked"), HasSubstr("protected by a passphrase"));
  EXPECT_THAT(private_key("other"), HasSubstr("Ed25519"));
  EXPECT_THAT(private_key("nonsense"), HasSubstr("PEM"));
  EXPECT_THAT(private_key("open"), HasSubstr("chmod 600"));
  EXPECT_EQ(private_key("link"), "accepted") << "as secrets are mounted";
  EXPECT_THAT(private_key("pipe"), HasSubstr("PEM")) << "without a writer it is empty, and does not block";
  EXPECT_THAT(private_key("."), HasSubstr("is a folder"));
  EXPECT_THAT(private_key("huge"), HasSubstr("64 KiB"));
  EXPECT_EQ(public_key("pub"), "accepted");
  EXPECT_THAT(public_key("none"), HasSubstr("cannot read the public key"));
  EXPECT_THAT(public_key("key"), HasSubstr("is a private key"));
  EXPECT_THAT(public_key("locked"), HasSubstr("is a private key"));
  EXPECT_THAT(public_key("other.pub"), HasSubstr("Ed25519"));
  EXPECT_THAT(public_key("nonsense"), HasSubstr("PEM"));
}

TEST(Files, AppearWholeAndReplaceNothingUnasked) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "bundle";
  write_new_file(file, "one", false);
  EXPECT_EQ(content_of(file), "one");
  EXPECT_THAT(why_refused([&] { write_new_file(file, "two", false); }), HasSubstr("--force"));
  EXPECT_EQ(content_of(file), "one");
  write_new_file(file, "two", true);
  EXPECT_EQ(content_of(file), "two");
  std::filesystem::create_symlink("/etc/passwd", folder.path() / "link");
  for (const auto& target : {folder.path() / "link", folder.path(), std::filesystem::path("/dev/null")})
    EXPECT_THAT(why_refused([&] { write_new_file(target, "x", true); }), HasSubstr("-o FILE"));
  EXPECT_THAT(why_refused([&] { write_new_file(folder.path() / "no/where", "x", false); }),
              HasSubstr("cannot write"));
  size_t left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    left += entry.exists() ? 1U : 0U;
  EXPECT_EQ(left, 2U) << "a half file was left";
}

}  // namespace
}  // namespace conformance
