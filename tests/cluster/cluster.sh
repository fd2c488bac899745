# shellcheck shell=bash
# cluster.sh - what the tests here share: a Slurm of their own, jobs in it, results to compare. Read with `.`, from a script that has not changed folder.
#
# The working folder becomes a temporary one. $jobs: the scripts under test, $small: an input of seconds. A reference run is made with `reference`.
set -euo pipefail
here=$GRAZE_SOURCE_DIR/tests/cluster jobs=$GRAZE_SOURCE_DIR/jobs
# shellcheck disable=SC2034
small=$here/small.yaml
work=$(mktemp -d)
patience=120 # s: what is waited for has long happened by then on any machine; nothing is right or wrong by its speed
trap 'kill $(jobs -p) 2>/dev/null || true; "$here/one_node_slurm.sh" down "$work/slurm"; rm -rf "$work"' EXIT

fail() {
  printf '%s\n' "$*" >&2
  tail -n 40 "$work"/*.log >&2 2>/dev/null || true
  exit 1
}

# Slurm's variables of a job that surrounds the test are not for the jobs in it
while read -r name; do unset "$name"; done < <(compgen -e | grep '^SLURM_\|^SBATCH_')
SLURM_CONF=$(GRAZE_SLURM_CPUS=${GRAZE_SLURM_CPUS:-16} "$here/one_node_slurm.sh" up "$work/slurm")
export SLURM_CONF
cd "$work"
# nor is what the developer's site needs: the test has its environment already
: >site.profile
export SITE_PROFILE=$work/site.profile

reference() { # input, folder, graze options: a run that nobody disturbs, in the background
  "$MPIEXEC" -n 2 "$GRAZE" sweep -options_file_yaml "$1" -output "$2" "${@:3}" >"$2.out" 2>&1 &
}

submit() { # log, sbatch options and script with its arguments: the number of the job. Two ranks and a limit that is far away unless they say otherwise.
  sbatch --parsable --ntasks=2 --time=10 --output="$work/$1.log" "${@:2}"
}

# What Slurm says of a job: an item of scontrol show job. Of an array, of its first line.
job_item() { scontrol --oneliner show job "$1" 2>/dev/null | sed -n "1s/.* $2=\([^ ]*\).*/\1/p"; }

wait_until() { # what, command: until the command succeeds
  local end=$((SECONDS + patience))
  until "${@:2}"; do
    [ $SECONDS -lt $end ] || fail "waited $patience s in vain for $1"
    sleep 0.2
  done
}

has_ended() { [[ $(job_item "$1" JobState) =~ ^(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL|PREEMPTED|OUT_OF_MEMORY)$ ]]; }

# The job has ended for good, with this exit code and so many restarts.
expect_end() { # job, code, regular expression of the number of restarts
  local code restarts
  wait_until "the end of job $1" has_ended "$1"
  code=$(job_item "$1" ExitCode) restarts=$(job_item "$1" Restarts)
  [ "$code" = "$2:0" ] || fail "job $1 ended with $code, not $2:0"
  [[ $restarts =~ ^($3)$ ]] || fail "job $1 was restarted $restarts times, not $3"
}

lines() { wc -l 2>/dev/null <"$1" || echo 0; }
has_lines() { [ "$(lines "$1")" -ge "$2" ]; }
wait_for_cells() { wait_until "$2 cells in $1" has_lines "$1/events.jsonl" "$2"; } # folder, cells

expect_same() { # folder of the reference, folder
  "$PYTHON" "$here/results.py" same "$1/sweep.h5" "$2/sweep.h5" || fail "$2 is not what an uninterrupted run gives"
}

sessions() { "$PYTHON" "$here/results.py" sessions "$1"; } # folder

has_matches() { [ "$(grep -Ec -- "$3" "$2")" -ge "$1" ]; } # number, file, extended regular expression
has_text() { grep -Eqs -- "$2" "$1"; } # file, extended regular expression
expect_text() { has_text "$1" "$2" || fail "$1 says nothing of '$2'"; }

# A program for GRAZE= whose first line of work takes at least 30 x $1 seconds in the first start of a job, on any machine; everything else is graze's.
slow_start() { # seconds a cell
  local step faults=''
  for step in {0..29}; do faults+="cell:slow=$1@0,$step "; done
  cat >"$work/slow$1" <<END
#!/bin/sh
[ -n "\${SLURM_RESTART_COUNT:-}" ] || export GRAZE_FAULT='$faults'
exec "$GRAZE" "\$@"
END
  chmod +x "$work/slow$1"
  echo "$work/slow$1"
}
