# Warnings that the code is clean of, with GCC and clang.
set(GRAZE_WARNING_FLAGS -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes)
if(GRAZE_WERROR)
  list(APPEND GRAZE_WARNING_FLAGS -Werror)
endif()
