# How a test is made: the same environment, timeout and count of processors for all of them.

include(Python)

pkg_check_modules(CMOCKA QUIET IMPORTED_TARGET cmocka)
if(NOT CMOCKA_FOUND)
  graze_refuse("The tests need cmocka, and pkg-config found none: install libcmocka-dev, or configure with -DGRAZE_TESTS=OFF.")
endif()

# Oversubscribed: MPI tests use up to five ranks on any machine. Unbound: tests that run at once would all sit on the first core.
set(GRAZE_TEST_ENVIRONMENT
  OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  OMPI_MCA_hwloc_base_binding_policy=none
  OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
  GRAZE=$<TARGET_FILE:graze> GRAZE_SOURCE_DIR=${PROJECT_SOURCE_DIR} GRAZE_BINARY_DIR=${PROJECT_BINARY_DIR}
  MPIEXEC=${MPIEXEC_EXECUTABLE} CMAKE_COMMAND=${CMAKE_COMMAND} PYTHON=${GRAZE_PYTHON}
  PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg)
execute_process(COMMAND id -u OUTPUT_VARIABLE graze_user OUTPUT_STRIP_TRAILING_WHITESPACE)
if(graze_user STREQUAL "0")
  list(APPEND GRAZE_TEST_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
endif()

# graze_add_test(<name> <processors> <command>...)
function(graze_add_test name processors)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${GRAZE_TEST_ENVIRONMENT}" PROCESSORS ${processors} TIMEOUT 300)
endfunction()

# graze_add_cmocka(<result> <kind> <.../test_object.c>): the program <kind>_<object>; its name in result.
function(graze_add_cmocka result kind source)
  get_filename_component(object ${source} NAME_WE)
  string(REGEX REPLACE "^test_" "${kind}_" name ${object})
  graze_add_program(${name} ${source})
  target_link_libraries(${name} PRIVATE graze_app graze_test_support PkgConfig::CMOCKA)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src) # tests of a layer see its private headers
  set(${result} ${name} PARENT_SCOPE)
endfunction()

# graze_add_unit(<kind> <.../test_object.c>): the test <kind>_<object>, one process without mpiexec.
function(graze_add_unit kind source)
  graze_add_cmocka(name ${kind} ${source})
  graze_add_test(${name} 1 $<TARGET_FILE:${name}>)
endfunction()

# graze_add_mpi_test(<name> <ranks> <command>...): the test <name>_np<ranks>, under mpiexec.
function(graze_add_mpi_test name ranks)
  graze_add_test(${name}_np${ranks} ${ranks} ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${ARGN})
endfunction()

# graze_add_script(<kind> <.../test_what.sh|py>): the test <kind>_<what>, which finds the program in $GRAZE, this tree in $GRAZE_SOURCE_DIR.
function(graze_add_script kind script)
  get_filename_component(name ${script} NAME_WE)
  string(REGEX REPLACE "^(test|check)_" "${kind}_" name ${name})
  file(STRINGS ${script} line REGEX "^# processors: [0-9]+$" LIMIT_COUNT 1)
  string(REGEX MATCH "[0-9]+$" processors "${line}")
  if(NOT processors)
    set(processors 1)
  endif()
  if(script MATCHES "\\.py$")
    graze_add_test(${name} ${processors} ${GRAZE_PYTHON} ${script})
  else()
    graze_add_test(${name} ${processors} bash ${script})
  endif()
endfunction()
