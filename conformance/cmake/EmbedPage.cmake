# Puts the files of the report page into a source file, so that the tool needs none of them when it runs. Bytes, not
# string literals: compilers limit the length of those.
#   cmake -DFOLDER=... -DOUTPUT=... -P EmbedPage.cmake
set(text "// Made of conformance/report/page by EmbedPage.cmake.\n#include \"conformance/report/page.h\"\n\nnamespace conformance {\nnamespace {\n")

# The scripts are one: in this order.
set(part_html page.html)
set(part_style page.css)
set(part_script page.js parts.js picture.js lists.js start.js)
foreach(part html style script)
  set(bytes "")
  foreach(name ${part_${part}})
    file(READ ${FOLDER}/${name} hexadecimal HEX)
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," one "${hexadecimal}")
    string(APPEND bytes "${one}\n")
  endforeach()
  string(APPEND text "constexpr char k_${part}[] = {\n${bytes}};\n")
endforeach()
string(APPEND text "}  // namespace\n\n")
foreach(part html style script)
  string(APPEND text "const std::string_view page_${part}(k_${part}, sizeof(k_${part}));\n")
endforeach()
string(APPEND text "}  // namespace conformance\n")
file(WRITE ${OUTPUT} "${text}")
