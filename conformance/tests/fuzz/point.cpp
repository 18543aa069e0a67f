// SPDX-License-Identifier: BSD-3-Clause
//
// Point ids (experiment_at). May throw std::invalid_argument alone. What is accepted has an id of its own,
// which is read back to the same id, without control characters; its control is undisturbed and has an id
// too.
#include <stdexcept>

#include "conformance/harness/point.h"
#include "conformance/tests/fuzz/property.h"

using namespace conformance;
using namespace conformance::fuzzing;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string id;
  Experiment control;
  try {
    const Experiment experiment = experiment_at(std::string(text_of(data, size)));
    id = experiment.point();
    control = experiment.control();
  } catch (const std::invalid_argument& error) {
    must(error.what()[0] != '\0', "a refusal has words");
    return 0;
  }
  // From here on nothing may be thrown.
  for (const char c : id)
    must(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "an id is one line without control characters");
  must(experiment_at(id).point() == id, "an id is read back");
  must(!control.is_disturbed(), "a control is undisturbed");
  must(experiment_at(control.point()).point() == control.point(), "a control's id is read back");
  return 0;
}
