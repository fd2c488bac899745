#!/usr/bin/env bash
# check_dependencies - CMake refuses, with a sentence, a PETSc that is complex or has no MPI, and a serial HDF5.
# The wrong libraries are made up: a pkg-config file and the one header that CMake reads.
set -euo pipefail
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fake() { # folder name version header line
  mkdir -p "$1/include" "$1/lib/pkgconfig"
  printf 'prefix=%s\nName: %s\nDescription: made up\nVersion: %s\nCflags: -I${prefix}/include\nLibs:\n' "$1" "$2" "$3" >"$1/lib/pkgconfig/$2.pc"
  printf '%s\n' "$5" >"$1/include/$4"
}

refused() { # what sentence, then cmake's environment
  local what=$1 sentence=$2 said
  shift 2
  rm -rf "$work/build"
  if said=$(env "$@" "${CMAKE_COMMAND:-cmake}" -S "$tree" -B "$work/build" -DGRAZE_TESTS=OFF 2>&1); then
    echo "configured with $what" >&2
    exit 1
  fi
  # CMake breaks long lines: compare words
  if [[ $(tr -s ' \n' '  ' <<<"$said") != *"$sentence"* ]]; then
    printf 'with %s, "%s" is not in:\n%s\n' "$what" "$sentence" "$said" >&2
    exit 1
  fi
}

fake "$work/complex" PETSc 3.20.0 petscconf.h $'#define PETSC_USE_REAL_DOUBLE 1\n#define PETSC_USE_COMPLEX 1'
refused "a complex PETSc" "is built for complex numbers" PETSC_DIR="$work/complex" PETSC_ARCH=

fake "$work/uni" PETSc 3.20.0 petscconf.h $'#define PETSC_USE_REAL_DOUBLE 1\n#define PETSC_HAVE_MPIUNI 1'
refused "a PETSc without MPI" "is built without MPI" PETSC_DIR="$work/uni" PETSC_ARCH=

fake "$work/single" PETSc 3.20.0 petscconf.h '#define PETSC_USE_REAL_SINGLE 1'
refused "a PETSc of single precision" "is not built for double precision" PETSC_DIR="$work/single" PETSC_ARCH=

fake "$work/old" PETSc 3.17.0 petscconf.h '#define PETSC_USE_REAL_DOUBLE 1'
refused "an old PETSc" "needs PETSc 3.18 or newer" PETSC_DIR="$work/old" PETSC_ARCH=

# a serial HDF5 alone: PETSc and SLEPc as they are, every name of HDF5 hidden behind the made-up one
fake "$work/serial" hdf5 1.14.0 H5pubconf.h '/* #undef H5_HAVE_PARALLEL */'
only=$work/only
mkdir "$only"
for module in PETSc petsc SLEPc slepc; do
  folder=$(pkg-config --variable=pcfiledir $module 2>/dev/null) && cp "$folder/$module.pc" "$only/"
done
cp "$work/serial/lib/pkgconfig/hdf5.pc" "$only/"
refused "a serial HDF5" "offers a serial one only" PKG_CONFIG_LIBDIR="$only" PKG_CONFIG_PATH= PETSC_DIR= SLEPC_DIR=
rm "$only/hdf5.pc"
refused "no HDF5" "pkg-config found none" PKG_CONFIG_LIBDIR="$only" PKG_CONFIG_PATH= PETSC_DIR= SLEPC_DIR=
