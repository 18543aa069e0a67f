// SPDX-License-Identifier: BSD-3-Clause
//
// The envelope of a signature (open_envelope). May throw std::runtime_error alone, with one short line. What
// is accepted is written to the same bytes again, and is signed by no key that did not sign it.
#include <stdexcept>

#include "conformance/bundle/dsse.h"
#include "conformance/tests/fuzz/property.h"

using namespace conformance;
using namespace conformance::fuzzing;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const PublicKey stranger = PublicKey::of(PrivateKey::generate());
  const std::string_view text = text_of(data, size);
  try {
    const Envelope envelope = open_envelope(text);
    must(envelope.text() == text, "an envelope is written in one way only");
    must(from_base64(base64(envelope.payload)) == envelope.payload, "a payload is what was encoded");
    must(!envelope.is_signed_by(stranger), "a stranger has signed nothing");
  } catch (const std::runtime_error& error) {
    must_be_one_line(error.what());
  }
  return 0;
}
