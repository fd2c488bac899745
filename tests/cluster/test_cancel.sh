#!/usr/bin/env bash
# test_cancel - a job that is cancelled in the middle, TERM first and then KILL, does not come back by itself; submitted again, with another number of ranks,
# it goes on and its data are those of an uninterrupted run, to the bit.
# processors: 1
. "$GRAZE_SOURCE_DIR/tests/cluster/cluster.sh"

reference "$small" whole
reference_pid=$!
slow=$(slow_start 0.5)

declare -A job
for launcher in srun mpirun; do
  export LAUNCHER=$launcher
  job[$launcher]=$(GRAZE=$slow submit $launcher "$jobs/sweep.sbatch" "$small" $launcher)
done
for launcher in srun mpirun; do
  wait_for_cells $launcher 3
  scancel "${job[$launcher]}"
done
for launcher in srun mpirun; do
  wait_until "the end of job ${job[$launcher]}" has_ended "${job[$launcher]}"
  code=0
  "$GRAZE" info -state $launcher >/dev/null || code=$?
  [ $code = 85 ] || fail "with $launcher graze info -state says $code after a cancelled job, not 85"
done
# long enough for Slurm to start a requeued job again, which it does 5 s after its end here (cred_expire)
sleep 8
for launcher in srun mpirun; do
  [ "$(job_item "${job[$launcher]}" JobState)" = CANCELLED ] || fail "with $launcher a cancelled job came back: $(job_item "${job[$launcher]}" JobState)"
  [ "$(job_item "${job[$launcher]}" Restarts)" = 0 ] || fail "with $launcher a cancelled job was restarted"
  job[$launcher again]=$(LAUNCHER=$launcher submit $launcher-again --ntasks=3 "$jobs/sweep.sbatch" "$small" $launcher)
done

wait $reference_pid || fail "the reference failed: $(cat whole.out)"
for launcher in srun mpirun; do
  expect_end "${job[$launcher again]}" 0 0
  expect_same whole $launcher
  [[ $(sessions $launcher) =~ ^("signal"|"killed")" 2 ".*"complete 3 " ]] || fail "with $launcher the sessions are: $(sessions $launcher)"
done
