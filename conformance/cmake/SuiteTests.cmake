# The suite as CTest entries: whole runs on the mock and in an rxe machine, which the entries share, and what can only be
# seen there. For a single test: rpma-conformance run --filter TEST. Groups of ci/test are labels: see the table in ci/test.
set(reports ${PROJECT_BINARY_DIR}/reports)
set(baselines ${PROJECT_SOURCE_DIR}/fixtures/baselines)
set(machine ${PROJECT_BINARY_DIR}/${RPMACONF_DATADIR}/rxe/machine)
set(state ${PROJECT_BINARY_DIR}/machine)

add_test(NAME mock.whole COMMAND rpma-conformance run --provider mock --jobs 2 --report ${reports}/mock.whole
  --baseline ${baselines}/debian-12-mock.json)
# The suite must notice each defect of the table, and accuse only the listener.
add_test(NAME mock.self_check COMMAND rpma-conformance self-check --provider mock --timeout 10
  --report ${reports}/mock.self_check)
set_tests_properties(mock.whole mock.self_check PROPERTIES LABELS mock TIMEOUT 2400 PROCESSORS 2)
add_test(NAME defects.whole_suite COMMAND rpma-conformance self-check --provider mock --complete --defects-only --timeout 10
  --report ${reports}/defects.whole_suite)
set_tests_properties(defects.whole_suite PROPERTIES LABELS defects TIMEOUT 2400 PROCESSORS 2)

if(RPMACONF_RXE_TESTS)
  # One machine for all entries: started before the first, stopped after the last.
  add_test(NAME rxe.machine.start COMMAND ${machine} start --state ${state})
  add_test(NAME rxe.machine.stop COMMAND ${machine} stop --state ${state})
  set_tests_properties(rxe.machine.start rxe.machine.stop PROPERTIES LABELS rxe TIMEOUT 600 PROCESSORS 2)
  set_tests_properties(rxe.machine.start PROPERTIES FIXTURES_SETUP rxe_machine)
  set_tests_properties(rxe.machine.stop PROPERTIES FIXTURES_CLEANUP rxe_machine)

  add_test(NAME rxe.whole COMMAND rpma-conformance run --provider rxe --report ${reports}/rxe.whole
    --machine ${state} --baseline ${baselines}/debian-12-rxe.json)
  # A real card's path, on the machine's device: named, as a card would be. Only what depends on the device or the host.
  set(of_the_host "--filter=Listen.*Succeeds:Listen.Null*:Case.*:Threads.*")
  add_test(NAME rxe.hw COMMAND ${machine} exec --state ${state} -- $<TARGET_FILE:rpma-conformance> run --provider hw
    --device rxe0 ${of_the_host} --report ${state}/share/rxe.hw --baseline ${baselines}/debian-12-rxe.json)
  # A known crash again, by its point.
  add_test(NAME rxe.replay COMMAND rpma-conformance replay --provider rxe --machine ${state}
    rpma_ep_listen/calloc:error=ENOMEM:when=3:caller=@rdmacm/cold/null)
  set_tests_properties(rxe.replay PROPERTIES
    PASS_REGULAR_EXPRESSION ">>> +calloc.*injected.*stack at its end.*librdmacm.*LISTEN-RET-2 +crash.*by rdmacm.*exit code 1")
  set_tests_properties(rxe.whole rxe.hw rxe.replay PROPERTIES LABELS rxe FIXTURES_REQUIRED rxe_machine TIMEOUT 1500)

  # Runs that are ended from outside, in machines of their own; two runs at a time in one machine.
  add_test(NAME kernel.resume COMMAND conformance_tool_test --gtest_filter=InMachine.*)
  add_test(NAME kernel.shared COMMAND conformance_tool_test --gtest_filter=InOneMachine.*)
  set_tests_properties(kernel.shared PROPERTIES ENVIRONMENT RPMACONF_STATE=${state})
  # Toys with a mistake each (tests/toys_test.cpp), as the kernel shows it.
  add_test(NAME kernel.toys COMMAND conformance_tool_test --gtest_filter=Mistakes/Toy.*:ToyWithoutMistake.*:ToyThatIsRefusedOnce.*)
  # The machine without a feature.
  add_test(NAME kernel.lacking COMMAND conformance_tool_test --gtest_filter=Features/HostThatLacks.*)
  set_tests_properties(kernel.toys kernel.lacking PROPERTIES ENVIRONMENT
    "TMPDIR=${state}/share;RPMACONF_IN_MACHINE=${machine} exec --state ${state} --")
  # A filter that matches nothing would pass, so what they print decides.
  set_tests_properties(kernel.resume kernel.shared kernel.toys kernel.lacking PROPERTIES
    PASS_REGULAR_EXPRESSION "PASSED  . [1-9]" FAIL_REGULAR_EXPRESSION "FAILED")
  # Defects that the mock cannot show; all that show there: self-check without --kernel-only.
  add_test(NAME kernel.self_check COMMAND rpma-conformance self-check --provider rxe --machine ${state} --kernel-only
    --defects-only --timeout 20 --report ${reports}/kernel.self_check)
  # The seed of a run is its number: others than the default run's.
  add_test(NAME kernel.false_alarms COMMAND rpma-conformance false-alarms --provider rxe --machine ${state} --first 2
    --runs 2 --timeout 20 --report ${reports}/kernel.false_alarms)
  add_test(NAME kernel.ipv6 COMMAND rpma-conformance run --provider rxe --addr 2001:db8::1 "--filter=-Sweep.*:Pairs.*"
    --report ${reports}/kernel.ipv6 --machine ${state} --baseline ${baselines}/debian-12-rxe.json)
  set_tests_properties(kernel.resume PROPERTIES LABELS kernel TIMEOUT 900)
  set_tests_properties(kernel.shared kernel.toys kernel.lacking kernel.self_check kernel.false_alarms kernel.ipv6 PROPERTIES
    LABELS kernel FIXTURES_REQUIRED rxe_machine TIMEOUT 2400)
  # With the cases that take the device away from whatever else runs in the machine.
  set_tests_properties(rxe.whole kernel.ipv6 kernel.shared kernel.lacking kernel.false_alarms PROPERTIES RUN_SERIAL ON)
endif()
