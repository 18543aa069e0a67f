// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/bundle/dsse.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <nlohmann/json.hpp>

#include "conformance/report/document.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

const unsigned char* octets(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string base64(std::string_view text) {
  std::string encoded(4 * ((text.size() + 2) / 3) + 1, '\0');  // OpenSSL ends it with a NUL
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()), octets(text),
                                   static_cast<int>(text.size()));
  encoded.resize(static_cast<size_t>(size));
  return encoded;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.empty()) return std::string();
  std::string decoded(3 * (text.size() / 4 + 1), '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(decoded.data()), octets(text),
                                   static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  decoded.resize(static_cast<size_t>(size) - padding);
  // OpenSSL ignores spaces and bits beyond the last byte.
  if (base64(decoded) != text) return std::nullopt;
  return decoded;
}

std::string pre_authentication_encoding(std::string_view type, std::string_view body) {
  return fmt::format("DSSEv1 {} {} {} {}", type.size(), type, body.size(), body);
}

std::string Envelope::text() const {
  const Json json = {{"payload", base64(payload)},
                     {"payloadType", type},
                     {"signatures", {{{"keyid", key_id}, {"sig", base64(signature)}}}}};
  return json.dump() + "\n";
}

bool Envelope::is_signed_by(const PublicKey& key) const {
  return key.verify(pre_authentication_encoding(type, payload), signature);
}

Envelope seal(std::string_view type, std::string payload, const PrivateKey& key) {
  std::string signature = key.sign(pre_authentication_encoding(type, payload));
  return {std::string(type), std::move(payload), key.id(), std::move(signature)};
}

Envelope open_envelope(std::string_view text) {
  Envelope envelope;
  try {
    const Json json = parse_document(text);
    const Json& signatures = json.at("signatures");
    if (!signatures.is_array() || signatures.size() != 1)
      throw std::runtime_error("it does not have exactly one signature");
    envelope.type = json.at("payloadType");
    envelope.key_id = signatures.at(0).at("keyid");
    const auto payload = from_base64(json.at("payload").get<std::string>());
    const auto signature = from_base64(signatures.at(0).at("sig").get<std::string>());
    if (!payload || !signature) throw std::runtime_error("its base64 is damaged");
    envelope.payload = *payload;
    envelope.signature = *signature;
  } catch (const nlohmann::json::exception&) {
    throw std::runtime_error("it is not a DSSE envelope");
  }
  if (envelope.text() != text) throw std::runtime_error("it is not written as this suite writes envelopes");
  return envelope;
}

}  // namespace conformance
