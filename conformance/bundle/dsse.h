// SPDX-License-Identifier: BSD-3-Clause
//
// The envelope of a signature: DSSE 1.0 (secure-systems-lab/dsse, protocol.md and envelope.md), JSON form.
// The signature covers the payload and its type, not the JSON around them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "conformance/bundle/keys.h"

namespace conformance {

inline constexpr std::string_view kInTotoPayload = "application/vnd.in-toto+json";

// RFC 4648, standard alphabet, padded. from_base64() takes only what base64() writes.
std::string base64(std::string_view text);
std::optional<std::string> from_base64(std::string_view text);

// The signed bytes: the pre-authentication encoding.
std::string pre_authentication_encoding(std::string_view type, std::string_view body);

struct Envelope {
  std::string type;
  std::string payload;
  std::string key_id;  // a hint, not a proof
  std::string signature;

  // As JSON text. There is one text for one envelope.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool is_signed_by(const PublicKey& key) const;
};

Envelope seal(std::string_view type, std::string payload, const PrivateKey& key);

// Throws std::runtime_error with one clear line for anything that Envelope::text() does not write. (Other
// readers of DSSE accept more forms; here every changed byte must be noticed.)
Envelope open_envelope(std::string_view text);

}  // namespace conformance
