#!/usr/bin/env bash
# test_sweep_sbatch - jobs/sweep.sbatch under a real Slurm, with srun and with mpirun: the job ends 0 with every cell decided, and
# a job that graze refuses ends with graze's exit code.
# processors: 2
set -euo pipefail
tree=$GRAZE_SOURCE_DIR
here=$tree/tests/cluster
work=$(mktemp -d)
# those who still wait for a job end before its Slurm does
trap 'kill $(jobs -p) 2>/dev/null || true; "$here/one_node_slurm.sh" down "$work/slurm"; rm -rf "$work"' EXIT

fail() { printf '%s\n' "$*" >&2; cat "$work"/*.log >&2 2>/dev/null; exit 1; }

SLURM_CONF=$("$here/one_node_slurm.sh" up "$work/slurm")
export SLURM_CONF

cd "$work"
submit() { # launcher, output folder, graze options; in the background, its exit code is the job's
  LAUNCHER=$1 exec sbatch --quiet --wait --ntasks=2 --time=5 --output="$work/%j.log" "$tree/jobs/sweep.sbatch" "$here/tiny.yaml" "${@:2}" >/dev/null
}

# all four at once: most of a job's time is waiting
declare -A job
for launcher in srun mpirun; do
  submit $launcher $launcher &
  job[$launcher]=$!
  submit $launcher refused -sweep_amplitud 1:2:2 &
  job[$launcher refused]=$!
done

for launcher in srun mpirun; do
  code=0
  wait "${job[$launcher]}" || code=$?
  [ $code = 0 ] || fail "with $launcher the job ended with $code, not 0"
  "$PYTHON" - "$work/$launcher/sweep.h5" <<'END' || fail "with $launcher the sweep is not complete"
import sys, h5py
status = h5py.File(sys.argv[1])["status"][()]
if status.size != 6 or status.min() <= 0:
    sys.exit(f"status {status.tolist()}, six decided cells expected")
END

  code=0
  wait "${job[$launcher refused]}" || code=$?
  [ $code = 64 ] || fail "with $launcher an unknown option ended the job with $code, not 64"
done
[ ! -e refused ] || fail "an unknown option left its output folder behind"
