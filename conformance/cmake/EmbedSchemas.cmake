# Writes the JSON schemas into a source file: what is published is what the tool checks by.
#   cmake -DSCHEMAS=FILE;FILE... -DOUTPUT=... -P EmbedSchemas.cmake
set(rows "")
foreach(file IN LISTS SCHEMAS)
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"schema(${text})schema\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made from conformance/report/schema/ by EmbedSchemas.cmake.
#include \"conformance/report/schemas.h\"

namespace conformance {
namespace {
constexpr SchemaText kTexts[] = {
${rows}};
}  // namespace

std::span<const SchemaText> schema_texts() {
  return kTexts;
}
}  // namespace conformance
")
