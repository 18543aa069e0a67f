# Renders a man page: fills the placeholders of its Markdown with the tool, then converts it with go-md2man.
#   cmake -DTOOL=... -DRENDERER=... -DINPUT=NAME.SECTION.md -DFILLED=... -DOUTPUT=NAME.SECTION -P Render.cmake
execute_process(COMMAND ${TOOL} pages ${INPUT} OUTPUT_FILE ${FILLED} COMMAND_ERROR_IS_FATAL ANY)
# go-md2man makes subsections of the third level only.
file(READ ${FILLED} page)
string(REPLACE "\n## " "\n### " page "${page}")
file(WRITE ${FILLED} "${page}")
execute_process(COMMAND ${RENDERER} -in=${FILLED} -out=${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
# Blank lines before requests would be printed. A paragraph right after a heading and \fC, which is not a font of every
# device, are what mandoc -T lint reports.
file(READ ${OUTPUT} page)
string(REGEX REPLACE "\n\n+(\\.[A-Zf])" "\n\\1" page "${page}")
string(REGEX REPLACE "\n\n+(\\.nf\n)" "\n\\1" page "${page}")
string(REGEX REPLACE "(\n\\.S[HS] [^\n]*)\n\\.PP\n" "\\1\n" page "${page}")
string(REPLACE "\\fB\\fC" "\\fB" page "${page}")
string(REPLACE "\\fC" "\\fB" page "${page}")
file(WRITE ${OUTPUT} "${page}")
