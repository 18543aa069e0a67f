# The suite's own tests as CTest entries, and the rxe machine that they share: started before the first rxe entry,
# stopped after the last.
set(suite_tests ${CMAKE_CURRENT_BINARY_DIR}/suite_tests.cmake)
set(reports ${PROJECT_BINARY_DIR}/reports)
set(baselines ${PROJECT_SOURCE_DIR}/fixtures/baselines)
set(machine ${PROJECT_BINARY_DIR}/${RPMACONF_DATADIR}/rxe/machine)
set(state ${PROJECT_BINARY_DIR}/machine)

add_custom_command(TARGET rpma-conformance POST_BUILD
  COMMAND ${CMAKE_COMMAND} -DTOOL=$<TARGET_FILE:rpma-conformance> -DOUTPUT=${suite_tests} -DREPORTS=${reports}
          -DBASELINES=${baselines} -DMACHINE_STATE=${state} -DRXE=${RPMACONF_RXE_TESTS}
          -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/GenerateTests.cmake
  COMMENT "Writing the suite's CTest entries" VERBATIM)
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${suite_tests})

# Whole runs: complete, with two experiments at a time, and the whole suite's own exit code.
add_test(NAME mock.whole COMMAND rpma-conformance run --provider mock --jobs 2 --report ${reports}/mock.whole
  --baseline ${baselines}/debian-12-mock.json)
set_tests_properties(mock.whole PROPERTIES LABELS "suite;mock" TIMEOUT 300)

# The suite itself: that it notices each defect of the table, and accuses nobody else.
add_test(NAME mock.self_check COMMAND rpma-conformance self-check --provider mock --timeout 10
  --report ${reports}/mock.self_check)
set_tests_properties(mock.self_check PROPERTIES LABELS "suite;mock" TIMEOUT 2400 PROCESSORS 2)

if(RPMACONF_RXE_TESTS)
  add_test(NAME rxe.machine.start COMMAND ${machine} start --state ${state})
  add_test(NAME rxe.machine.stop COMMAND ${machine} stop --state ${state})
  set_tests_properties(rxe.machine.start PROPERTIES FIXTURES_SETUP rxe_machine TIMEOUT 600 PROCESSORS 2)
  set_tests_properties(rxe.machine.stop PROPERTIES FIXTURES_CLEANUP rxe_machine TIMEOUT 300)

  add_test(NAME rxe.whole COMMAND rpma-conformance run --provider rxe --report ${reports}/rxe.whole
    --machine ${state} --baseline ${baselines}/debian-12-rxe.json)
  # A real card's path, on the machine's device: named, as a card would be. The sweeps differ in nothing there.
  set(no_sweeps "--filter=-Sweep.*:Pairs.*")
  add_test(NAME hw.listen COMMAND ${machine} exec --state ${state} -- $<TARGET_FILE:rpma-conformance> run --provider hw
    --device rxe0 ${no_sweeps} --report ${state}/share/hw.listen --baseline ${baselines}/debian-12-rxe.json)
  # A known crash again, by its point.
  add_test(NAME rxe.replay COMMAND rpma-conformance replay --provider rxe --machine ${state}
    rpma_ep_listen/calloc:error=ENOMEM:when=3:caller=@rdmacm/cold/null)
  set_tests_properties(rxe.replay PROPERTIES
    PASS_REGULAR_EXPRESSION ">>> +calloc.*injected.*stack at its end.*librdmacm.*LISTEN-RET-2 +crash.*by rdmacm.*exit code 1")
  # Runs that are ended from outside, in machines of their own.
  add_test(NAME rxe.resume COMMAND conformance_tool_test --gtest_filter=InMachine.*)
  set_tests_properties(rxe.resume PROPERTIES LABELS "suite;rxe" TIMEOUT 900
    PASS_REGULAR_EXPRESSION "PASSED  . [1-9]" FAIL_REGULAR_EXPRESSION "FAILED")
  # Two runs at a time in one machine.
  add_test(NAME rxe.shared COMMAND conformance_tool_test --gtest_filter=InOneMachine.*)
  set_tests_properties(rxe.shared PROPERTIES ENVIRONMENT RPMACONF_STATE=${state}
    PASS_REGULAR_EXPRESSION "PASSED  . [1-9]" FAIL_REGULAR_EXPRESSION "FAILED")
  # Toys with a mistake each (tests/toys_test.cpp), as the kernel shows it.
  add_test(NAME rxe.toys COMMAND conformance_tool_test --gtest_filter=Mistakes/Toy.*:ToyWithoutMistake.*:ToyThatIsRefusedOnce.*)
  # A filter that matches nothing would pass, so what it prints decides.
  set_tests_properties(rxe.toys PROPERTIES ENVIRONMENT
    "TMPDIR=${state}/share;RPMACONF_IN_MACHINE=${machine} exec --state ${state} --"
    PASS_REGULAR_EXPRESSION "PASSED  . [1-9][0-9] tests" FAIL_REGULAR_EXPRESSION "FAILED")
  # Defects that only a kernel shows; all that show there: self-check without --kernel-only, in some ten minutes.
  add_test(NAME rxe.self_check COMMAND rpma-conformance self-check --provider rxe --machine ${state} --kernel-only
    --defects-only --timeout 20 --report ${reports}/rxe.self_check)
  add_test(NAME rxe.ipv6 COMMAND rpma-conformance run --provider rxe --addr 2001:db8::1 ${no_sweeps}
    --report ${reports}/rxe.ipv6 --machine ${state} --baseline ${baselines}/debian-12-rxe.json)
  set_tests_properties(rxe.whole rxe.self_check rxe.ipv6 rxe.toys rxe.replay rxe.shared hw.listen PROPERTIES LABELS "suite;rxe" FIXTURES_REQUIRED rxe_machine TIMEOUT 1500)
  # With the cases that take the device away from whatever else runs in the machine, or with nobody to wait for.
  set_tests_properties(rxe.whole rxe.ipv6 rxe.shared PROPERTIES RUN_SERIAL ON)
  set_tests_properties(rxe.machine.start rxe.machine.stop PROPERTIES LABELS "suite;rxe;machine")
endif()
