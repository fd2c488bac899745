#!/usr/bin/env bash
# Seven ranks are more than POOL_ROOT_WORKS: root only serves. The claims are those of test_pool.c, which knows what differs. Long messages go in
# pieces here, for which both sides must be inside MPI, as between nodes.
# processors: 7
set -eu
if ! out=$(OMPI_MCA_btl_vader_single_copy_mechanism=none "$MPIEXEC" -n 7 "$GRAZE_BINARY_DIR/tests/mpi_pool" 2>&1); then
  printf '%s\n' "$out"
  exit 1
fi
