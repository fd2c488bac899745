#!/usr/bin/env bash
# test_requeue - a sweep that is stopped before its end requeues itself and goes on, whatever stopped it: SIGUSR1 from outside, with srun and with mpirun; the
# time limit, noticed by graze; the time limit, told by Slurm's --signal; a rank that dies. The data are those of an uninterrupted run, to the bit.
# processors: 1
. "$GRAZE_SOURCE_DIR/tests/cluster/cluster.sh"

reference "$small" whole
reference_pid=$!

# Real limits, of one minute, the shortest there is. The first line takes a minute at least, so the first start must be cut off.
slow=$(slow_start 2)
# graze's own limit is 15 s after the start; Slurm's signal is due after half a minute at the earliest
own=$(GRAZE=$slow submit own --time=1 --signal=B:USR1@1 "$jobs/sweep.sbatch" "$small" own -walltime_margin 45)
# graze would stop 58 s after the start; Slurm's signal comes after 20 to 50 s
told=$(LAUNCHER=mpirun GRAZE=$slow submit told --time=1 --signal=B:USR1@10 "$jobs/sweep.sbatch" "$small" told -walltime_margin 2)

# Stopped from outside after some cells, or a rank killed; 30 s at least are left then
slow=$(slow_start 0.5)
declare -A job
for launcher in srun mpirun; do
  export LAUNCHER=$launcher
  job[$launcher]=$(GRAZE=$slow submit $launcher "$jobs/sweep.sbatch" "$small" $launcher)
  job[$launcher killed]=$(GRAZE=$slow submit $launcher-killed "$jobs/sweep.sbatch" "$small" "$work/$launcher-killed")
done
for launcher in srun mpirun; do
  wait_for_cells $launcher 3
  for n in 1 2; do # saves and goes on, as often as one likes
    scancel --signal=USR2 --batch "${job[$launcher]}"
    wait_until "checkpoint $n with $launcher" has_matches $n $launcher.log '^saved .*SIGUSR2'
  done
  scancel --signal=USR1 --batch "${job[$launcher]}"
  wait_for_cells $launcher-killed 3
  rank=$(pgrep -n -f -- "$GRAZE sweep .* -output $work/$launcher-killed( |\$)") || fail "no rank to kill"
  kill -KILL "$rank"
done

wait $reference_pid || fail "the reference failed: $(cat whole.out)"
for launcher in srun mpirun; do
  expect_end "${job[$launcher]}" 0 1
  expect_same whole $launcher
  [[ $(sessions $launcher) =~ ^"signal 2 "[0-9]+" ${job[$launcher]}"$'\n'"complete 2 "[0-9]+" ${job[$launcher]}"$ ]] ||
    fail "with $launcher, stopped by SIGUSR1, the sessions are: $(sessions $launcher)"
  expect_end "${job[$launcher killed]}" 0 1
  expect_same whole $launcher-killed
  # srun sends the other ranks SIGTERM first, and root may save before it is killed
  [[ $(sessions $launcher-killed) =~ ^("killed"|"silent")" 2 ".*"complete 2 " ]] ||
    fail "with $launcher and a killed rank the sessions are: $(sessions $launcher-killed)"
done

for run in "own time_limit" "told signal"; do
  read -r name reason <<<"$run"
  expect_end "${!name}" 0 '[1-9]' # a slow machine may need more than one minute again
  expect_same whole "$name"
  [[ $(sessions "$name") =~ ^"$reason 2 ".*"complete 2 " ]] || fail "the job $name should have ended by $reason first, but: $(sessions "$name")"
done
