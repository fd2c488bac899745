#!/bin/bash
# chain.sh - one sweep as K jobs one after the other, for sites where a job must not requeue itself.
#
#   jobs/chain.sh K INPUT.yaml OUTDIR [sbatch options --] [graze options]
#
# All K jobs are submitted now, under one name and with --dependency=singleton: the next starts when the one before has ended, however it ended, and goes
# on where that stopped. When the sweep is complete the jobs that are left end in seconds. None requeues itself; Slurm does not requeue them either. For example
#
#   jobs/chain.sh 5 inputs/period_adding/run.yaml runs/map -n 16 -t 04:00:00 -- -sweep_segment 50
#
# Each job is a sweep.sbatch, whose LAUNCHER, GRAZE and SITE_PROFILE apply. To end a chain: scancel --name=NAME, which is printed.

if ! [[ ${1:-} =~ ^[1-9][0-9]*$ ]] || [ $# -lt 3 ]; then
  echo "usage: jobs/chain.sh K INPUT.yaml OUTDIR [sbatch options --] [graze options]" >&2
  exit 64
fi
k=$1 input=$2 output=$3 options=()
shift 3
if [[ " $* " == *" -- "* ]]; then
  while [ "$1" != -- ]; do options+=("$1") && shift; done
  shift
fi

# the name says which folder: two chains on one folder wait for each other
name=graze-$(basename "$output")-$(realpath -m "$output" | cksum | cut -d ' ' -f 1)
script=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/sweep.sbatch
export GRAZE_REQUEUE=0
for ((i = 1; i <= k; i++)); do
  id=$(sbatch --parsable "${options[@]}" --job-name="$name" --dependency=singleton --no-requeue "$script" "$input" "$output" "$@") || exit
  echo "job ${id%%;*}: $i of $k, $name"
done
