# SPDX-License-Identifier: BSD-3-Clause
# CTest as a dashboard client: configures, builds, runs the gate, and submits the results to a CDash server, if one is
# named. On Debian 12, as root; without root where all packages are installed:
#
#   ctest -S ci/templates/dashboard.cmake [-DNAME=VALUE...]
#
#   SUBMIT_URL   server, e.g. https://cdash.example.org/submit.php?project=NAME; without it the results stay in
#                Testing/ of the build folder
#   LABEL        CTest entries to run: gate (the default: ci/gate, on rxe against the baseline), or suite, mock, rxe:
#                there each test of the suite is a line of the dashboard
#   MODEL        Experimental (the default), Nightly or Continuous
#   SITE         name of this host; default: its host name
#   BUILD_NAME   name of the stack; default: the system's
#   BUILD_DIR    build folder; default: build/dashboard
#   TARGET       build target; default: the one that LABEL needs
#   OPTIONS      more options for CMake, separated by ';'
#
# The environment variables of ci/gate (GATE_PROVIDER, GATE_OPTIONS) work here too. The report folder is reports/gate
# in the build folder; its files are submitted as well.
#
# Exit code: 0 if everything passed and was submitted (with SUBMIT_URL); otherwise not 0.
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
  default(TARGET gate_parts)
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

# The steps that failed. The script ends after the submission, so that the dashboard shows failures too.
set(failed "")

execute_process(COMMAND bash -c ". ci/lib.sh && install_packages \"\${BUILD_PACKAGES[@]}\"" dashboard
  WORKING_DIRECTORY ${root} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${reports}/gate)
ctest_start(${MODEL})
find_program(CTEST_GIT_COMMAND git)
if(EXISTS ${root}/.git AND CTEST_GIT_COMMAND)
  # Reads the revision for the submission; fetches nothing.
  set(CTEST_UPDATE_VERSION_ONLY TRUE)
  # Also where another user owns the checkout.
  set(ENV{GIT_CONFIG_COUNT} 1)
  set(ENV{GIT_CONFIG_KEY_0} safe.directory)
  set(ENV{GIT_CONFIG_VALUE_0} ${root})
  ctest_update(RETURN_VALUE status CAPTURE_CMAKE_ERROR error)
  if(status LESS 0 OR error)
    message("cannot read the revision; the submission does not name it")
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
  # CTest also succeeds where no test has the label.
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
