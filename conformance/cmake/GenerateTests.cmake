# Writes the CTest entries of the suite, one per conformance test and provider, from `rpma-conformance list --format json`,
# which needs no device. Included by CTest (TEST_INCLUDE_FILES), run after the tool is built:
#   cmake -DTOOL=... -DOUTPUT=... -DREPORTS=... -DBASELINES=... -DMACHINE_STATE=... -DRXE=ON|OFF -P GenerateTests.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${TOOL} list --format json OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
string(JSON count LENGTH ${json} tests)
if(count LESS 1)
  message(FATAL_ERROR "the suite has no tests")
endif()

set(entries "")
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON id GET ${json} tests ${i} id)
  string(JSON always GET ${json} tests ${i} always)
  if(always)
    continue() # part of every run
  endif()
  string(JSON providers GET ${json} tests ${i} providers)
  foreach(provider mock rxe)
    if(NOT providers MATCHES "\"${provider}\"" OR (provider STREQUAL "rxe" AND NOT RXE))
      continue()
    endif()
    set(name ${provider}.${id})
    string(APPEND entries "add_test([[${name}]] [[${TOOL}]] run --provider ${provider} [[--filter=${id}]]"
      " --report [[${REPORTS}/${name}]] --baseline [[${BASELINES}/debian-12-${provider}.json]]")
    set(properties "LABELS [[suite;${provider}]] TIMEOUT 1200")
    if(provider STREQUAL "rxe")
      string(APPEND entries " --machine [[${MACHINE_STATE}]]")
      string(APPEND properties " FIXTURES_REQUIRED rxe_machine")
      # They take the device away from whatever else runs in the machine.
      if(id MATCHES "^Case\\.(01|13)_")
        string(APPEND properties " RUN_SERIAL ON")
      endif()
    endif()
    string(APPEND entries ")\nset_tests_properties([[${name}]] PROPERTIES ${properties})\n")
  endforeach()
endforeach()
file(WRITE ${OUTPUT} "${entries}")
