#!/usr/bin/env bash
# A rank hangs in its step and the pool is told to stop: root notices after the grace and five seconds, and can end the job with its own code. What
# the others had done is committed. Checked by root itself (`mpi_pool hang`): 1 if anything was otherwise.
# processors: 3
set -eu
code=0
out=$("$MPIEXEC" -n 3 "$GRAZE_BINARY_DIR/tests/mpi_pool" hang 2>&1) || code=$?
if [ "$code" != 85 ]; then
  printf 'exit code %s instead of 85\n%s\n' "$code" "$out"
  exit 1
fi
