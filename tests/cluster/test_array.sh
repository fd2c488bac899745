#!/usr/bin/env bash
# test_array - jobs/array.sbatch: parts in a job array, joined by a job that waits for them. A part that is stopped is requeued, and it alone. The joined
# result is that of one run, to the bit. When a part fails, nothing is joined.
# processors: 1
. "$GRAZE_SOURCE_DIR/tests/cluster/cluster.sh"

numbers() { sed -n 's/^job \([0-9]*\): .*/\1/p'; }

reference "$small" whole
reference_pid=$!

slow=$(slow_start 0.5)
mapfile -t good < <(GRAZE=$slow "$jobs/array.sbatch" 3 "$small" parts -n 2 -t 10 -- -checkpoint_interval 5 | numbers)
mapfile -t bad < <(LAUNCHER=mpirun "$jobs/array.sbatch" 2 "$here/tiny.yaml" refused -n 1 -t 10 -- -sweep_amplitud 1:2:2 | numbers)
[ ${#good[@]} = 2 ] && [ ${#bad[@]} = 2 ] || fail "array.sbatch should have submitted two jobs each time, not ${good[*]} and ${bad[*]}"
gap=$(submit gap --array=2-3 "$jobs/array.sbatch" "$small" gap)
single=$(submit single "$jobs/array.sbatch" "$small" single)

# the last task has the number of the array, and must not be taken for it; the first has a number of its own
for task in 3 1; do
  wait_for_cells parts/shard-$task-of-3 1
done
for task in 3 1; do
  scancel --signal=USR1 --batch "${good[0]}_$task"
done

for job in "$gap" "$single"; do expect_end "$job" 64 0; done
expect_text gap.log 'tasks of the array must be 1 to N'
expect_text single.log 'not a job array'
"$jobs/array.sbatch" 3 "$small" 2>/dev/null && fail "array.sbatch takes two arguments for three"

is_cancelled() { [ "$(job_item "$1" JobState)" = CANCELLED ]; }
wait_until "job ${bad[1]} to be cancelled" is_cancelled "${bad[1]}"
[ ! -e refused ] || fail "a part that was refused left something behind: $(find refused)"

wait $reference_pid || fail "the reference failed: $(cat whole.out)"
expect_end "${good[1]}" 0 0
for task in 1 2 3; do
  restarts=$(job_item "${good[0]}_$task" Restarts)
  [ "$restarts" = $((task == 2 ? 0 : 1)) ] || fail "part $task was restarted $restarts times"
done
expect_same whole parts

# the same command again: nothing to do, quickly, and the result is whole
GRAZE=$slow "$jobs/array.sbatch" 3 "$small" parts -n 2 -t 10 -- -checkpoint_interval 5 >again.out
expect_end "$(numbers <again.out | tail -n 1)" 0 0
expect_same whole parts
"$GRAZE" verify parts >/dev/null || fail "graze verify finds fault with the joined result"
