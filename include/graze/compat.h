/*
  compat.h - the one place that knows which PETSc and which compiler we are built with.

  PETSc 3.18 .. 3.25 are supported; PETSC_SUCCESS appeared in 3.19.
*/
#ifndef GRAZE_COMPAT_H
#define GRAZE_COMPAT_H

#include <petscsys.h>

#if defined(PETSC_USE_COMPLEX)
  #error "Graze needs PETSc and SLEPc built for real scalars"
#endif

#if PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS ((PetscErrorCode)0)
#endif

/*
  GRAZE_VECTORISED marks the few inner loops over modes. On x86-64 with GCC the function is compiled
  once per instruction set and chosen when the program is loaded, so that one binary runs on every
  node of a mixed cluster and still uses AVX2 or AVX-512. Results are bit-identical on one CPU model.
*/
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
  #define GRAZE_VECTORISED __attribute__((target_clones("default", "arch=haswell", "arch=skylake-avx512")))
#else
  #define GRAZE_VECTORISED
#endif

#endif
