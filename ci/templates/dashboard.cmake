# SPDX-License-Identifier: BSD-3-Clause
# CTest as a dashboard client: configures, builds, runs the gate, and submits all of it to a CDash server, if one is
# named. On Debian 12; as root, or where nothing needs to be installed:
#
#   ctest -S ci/templates/dashboard.cmake [-DNAME=VALUE...]
#
#   SUBMIT_URL   where to submit, e.g. https://cdash.example.org/submit.php?project=NAME; without it the results stay
#                in Testing/ of the build folder
#   LABEL        which CTest entries to run: gate (the default: ci/gate, on rxe against the baseline), or suite, mock,
#                rxe: there each test of the suite is a line of the dashboard
#   MODEL        Experimental (the default), Nightly or Continuous
#   SITE         name of this host; default: what it calls itself
#   BUILD_NAME   name of the stack; default: the system's
#   BUILD_DIR    build folder; default: build/dashboard
#   TARGET       what to build; default: what LABEL needs
#   OPTIONS      more options for CMake, separated by ';'
#
# What ci/gate reads from the environment (GATE_PROVIDER, GATE_OPTIONS) it reads here too. The report folder is
# reports/gate in the build folder; its files are submitted as well.
#
# Exit code: 0 where everything passed and, where asked for, was submitted; otherwise not 0.
cmake_minimum_required(VERSION 3.25)

function(default name value)
  if(NOT DEFINED ${name} OR "${${name}}" STREQUAL "")
    set(${name} "${value}" PARENT_SCOPE)
  endif()
endfunction()

get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
cmake_host_system_information(RESULT host QUERY HOSTNAME)
cmake_host_system_information(RESULT system QUERY DISTRIB_PRETTY_NAME)
default(LABEL gate)
default(MODEL Experimental)
default(SITE "${host}")
default(BUILD_NAME "${system}")
default(BUILD_DIR ${root}/build/dashboard)
if(LABEL STREQUAL "gate")
  default(TARGET rpma-conformance)
else()
  default(TARGET all)
endif()

set(CTEST_PROJECT_NAME rpma-conformance)
set(CTEST_SITE "${SITE}")
set(CTEST_BUILD_NAME "${BUILD_NAME}")
set(CTEST_SOURCE_DIRECTORY ${root})
set(CTEST_BINARY_DIRECTORY ${BUILD_DIR})
set(CTEST_CMAKE_GENERATOR Ninja)

set(reports ${CTEST_BINARY_DIRECTORY}/reports)

# What did not work. A dashboard wants to hear of that too, so it ends the script only after the submission.
set(failed "")

execute_process(COMMAND bash -c ". ci/lib.sh && install_packages \"\${BUILD_PACKAGES[@]}\"" dashboard
  WORKING_DIRECTORY ${root} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${reports}/gate)
ctest_start(${MODEL})
find_program(CTEST_GIT_COMMAND git)
if(EXISTS ${root}/.git AND CTEST_GIT_COMMAND)
  # Which revision this is, for the submission: nothing is fetched.
  set(CTEST_UPDATE_VERSION_ONLY TRUE)
  # Also where the checkout belongs to somebody else.
  set(ENV{GIT_CONFIG_COUNT} 1)
  set(ENV{GIT_CONFIG_KEY_0} safe.directory)
  set(ENV{GIT_CONFIG_VALUE_0} ${root})
  ctest_update(RETURN_VALUE status CAPTURE_CMAKE_ERROR error)
  if(status LESS 0 OR error)
    message("the revision could not be read: what is submitted does not name it")
  endif()
endif()
ctest_configure(OPTIONS "-DCMAKE_BUILD_TYPE=RelWithDebInfo;-DRPMACONF_GATE=ON;${OPTIONS}" RETURN_VALUE status
  CAPTURE_CMAKE_ERROR error)
if(NOT status EQUAL 0 OR error)
  list(APPEND failed "configuring")
else()
  ctest_build(TARGET ${TARGET} NUMBER_ERRORS errors RETURN_VALUE status CAPTURE_CMAKE_ERROR error)
  if(NOT status EQUAL 0 OR error OR errors GREATER 0)
    list(APPEND failed "building")
  endif()
endif()
if(NOT failed)
  ctest_test(INCLUDE_LABEL "^${LABEL}$" RETURN_VALUE status CAPTURE_CMAKE_ERROR error)
  # With a label that nothing has, CTest is content: nothing failed.
  file(STRINGS ${CTEST_BINARY_DIRECTORY}/Testing/TAG tag LIMIT_COUNT 1)
  file(STRINGS ${CTEST_BINARY_DIRECTORY}/Testing/${tag}/Test.xml passed REGEX "<Test Status=\"passed\"")
  if(NOT status EQUAL 0 OR error OR NOT passed)
    list(APPEND failed "testing (label ${LABEL})")
  endif()
endif()

if(SUBMIT_URL)
  set(CTEST_SUBMIT_URL "${SUBMIT_URL}")
  file(GLOB files ${reports}/gate/*)
  if(files)
    ctest_upload(FILES ${files} CAPTURE_CMAKE_ERROR error)
  endif()
  ctest_submit(RETURN_VALUE status CAPTURE_CMAKE_ERROR error)
  if(NOT status EQUAL 0 OR error)
    list(APPEND failed "submitting to ${SUBMIT_URL}")
  endif()
endif()
if(EXISTS ${reports}/gate)
  message("report: ${reports}/gate")
endif()
if(failed)
  list(JOIN failed ", " failed)
  message(FATAL_ERROR "failed: ${failed}")
endif()
