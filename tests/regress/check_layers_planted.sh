#!/usr/bin/env bash
# check_layers_planted - check_layers.sh must see every kind of violation: plants one at a time in a copy of the sources.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

fresh() { rm -rf "$copy/src" "$copy/include"; cp -r "$here/../../src" "$here/../../include" "$copy/"; }

plant() { # what file line
  fresh
  printf '%s\n' "$3" >>"$copy/$2"
  if bash "$here/check_layers.sh" "$copy" 2>/dev/null; then echo "not seen: $1" >&2; exit 1; fi
}

fresh
bash "$here/check_layers.sh" "$copy"
plant "an include that points up" src/beam/planted.c '#include "graze/flow.h"'
plant "an include that points up, in a public header" include/graze/beam.h '#include "graze/flow.h"'
plant "store.h in the numerics" src/orbit/planted.c '#include "graze/store.h"'
plant "continuation seen from the sweep" src/sweep/planted.c '#include "graze/branch.h"'
plant "a private header of another folder" src/orbit/planted.c '#include "../impact/flow_impl.h"'
plant "a world communicator" src/spectrum/planted.c 'static MPI_Comm c(void) { return PETSC_COMM_WORLD; }'
plant "a call of HDF5" src/sweep/planted.c 'static void c(long f) { H5Fclose(f); }'
plant "a read of the options database" src/impact/planted.c 'static void c(void) { PetscOptionsGetInt(NULL, NULL, "-x", NULL, NULL); }'

# and none where there is none: in a comment, in a string, in the layers that may
fresh
printf '/* MPI_COMM_WORLD,\n   H5Fclose(f) */\nstatic const char *s = "PetscOptionsGetInt(";\n' >>"$copy/src/beam/planted.c"
printf 'static MPI_Comm c(void) { return PETSC_COMM_WORLD; }\n' >>"$copy/src/app/planted.c"
bash "$here/check_layers.sh" "$copy" || { echo "complained about what is allowed" >&2; exit 1; }
