# graze_version.h, written anew at every build: version, commit and whether what is compiled differs from that commit.
#
# Run by the build as a script (-P) it writes the header; the header changes, and files that include it compile again, only
# when the answer does. Without git, or outside a checkout of this project, the commit is "unknown".

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(graze_version_script ${CMAKE_CURRENT_LIST_FILE})

  # The header is made before `target` and whatever links to it is compiled.
  function(graze_add_version target)
    set(folder ${PROJECT_BINARY_DIR}/generated)
    add_custom_target(graze_version
      COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DHEADER=${folder}/graze_version.h
              -P ${graze_version_script}
      BYPRODUCTS ${folder}/graze_version.h
      COMMENT "Asking git for the commit"
      VERBATIM)
    add_dependencies(${target} graze_version)
    target_include_directories(${target} PUBLIC ${folder})
  endfunction()
  return()
endif()

cmake_minimum_required(VERSION 3.21)
set(commit unknown)
set(dirty 0)
find_program(GIT git)
if(GIT)
  function(ask_git result)
    execute_process(COMMAND ${GIT} -C ${SOURCE} ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(failed)
      set(text "")
    endif()
    set(${result} "${text}" PARENT_SCOPE)
  endfunction()
  ask_git(top rev-parse --show-toplevel)
  file(REAL_PATH ${SOURCE} here)
  if(top STREQUAL here) # not some other project's checkout around us
    ask_git(head rev-parse HEAD)
    if(head)
      set(commit ${head})
      ask_git(changes status --porcelain -- src include cmake CMakeLists.txt CMakePresets.json)
      if(changes)
        set(dirty 1)
      endif()
    endif()
  endif()
endif()

file(CONFIGURE OUTPUT ${HEADER} @ONLY CONTENT
"/* Made by cmake/Version.cmake at build time. */
#ifndef GRAZE_VERSION_H
#define GRAZE_VERSION_H

#define GRAZE_VERSION \"@VERSION@\"
#define GRAZE_COMMIT  \"@commit@\" /* \"unknown\" outside a git checkout */
#define GRAZE_DIRTY   @dirty@ /* 1: what was compiled differs from the commit */

#endif
")
