// SPDX-License-Identifier: BSD-3-Clause
//
// The files of page/, which are compiled in (cmake/EmbedPage.cmake).
#pragma once

#include <string_view>

namespace conformance {

extern const std::string_view page_html;    // with {{places}} for the rest
extern const std::string_view page_style;   // page.css
extern const std::string_view page_script;  // the scripts, as one

}  // namespace conformance
