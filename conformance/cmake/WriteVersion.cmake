# Writes version.h with the commit that is built, at each build; the file changes only when the commit does.
#   cmake -DSOURCE_DIR=... -DINPUT=... -DOUTPUT=... -DPROJECT_VERSION=... -P WriteVersion.cmake
set(RPMACONF_COMMIT unknown)
find_package(Git QUIET)
if(GIT_FOUND)
  # The checkout may belong to another user than the one who builds (root, in a container).
  set(git ${GIT_EXECUTABLE} -c safe.directory=${SOURCE_DIR} -C ${SOURCE_DIR})
  execute_process(COMMAND ${git} rev-parse HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_QUIET RESULT_VARIABLE failed)
  execute_process(COMMAND ${git} status --porcelain OUTPUT_VARIABLE changes ERROR_QUIET)
  if(NOT failed)
    set(RPMACONF_COMMIT ${commit})
    if(changes)
      string(APPEND RPMACONF_COMMIT -dirty)
    endif()
  endif()
endif()
configure_file(${INPUT} ${OUTPUT} @ONLY)
