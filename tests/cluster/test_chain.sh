#!/usr/bin/env bash
# test_chain - jobs/chain.sh: jobs one after the other on one sweep, none of which requeues itself. And the ends of a chain of requeues: so
# many at most, refused by Slurm, asked for by the file STOP, no progress.
# processors: 1
. "$GRAZE_SOURCE_DIR/tests/cluster/cluster.sh"

reference "$small" whole
reference_pid=$!
slow=$(slow_start 0.5)

mapfile -t chain < <(GRAZE=$slow "$jobs/chain.sh" 3 "$small" chain -n 2 -t 10 -- -checkpoint_interval 5 | sed -n 's/^job \([0-9]*\): .*/\1/p')
[ ${#chain[@]} = 3 ] || fail "chain.sh should have submitted three jobs: ${chain[*]}"
most=$(MAX_RESTARTS=0 GRAZE=$slow submit most "$jobs/sweep.sbatch" "$small" most)
refused=$(LAUNCHER=mpirun GRAZE=$slow submit refused --no-requeue "$jobs/sweep.sbatch" "$small" refused)
stopped=$(GRAZE=$slow submit stopped "$jobs/sweep.sbatch" "$small" stopped)
# cells that take a minute, which the 2 s of a stop do not wait for
export GRAZE_FAULT_CELLS=$work/begun
stuck=$(LAUNCHER=mpirun submit stuck "$jobs/sweep.sbatch" "$small" stuck -settle_periods 1000000 -max_periods 2000000)
unset GRAZE_FAULT_CELLS

# ranks that end before graze can do anything; srun ends with 0 when it fails to start any
for code in 127 0; do
  cat >broken$code <<END
#!/bin/sh
[ "\$1" != sweep ] || exit $code
exec "$GRAZE" "\$@"
END
  chmod +x broken$code
done
for folder in most chain refused stopped; do wait_for_cells $folder 3; done
touch stopped/STOP
scancel --signal=USR1 --batch "${chain[0]}"
scancel --signal=USR1 --batch "$most"
scancel --signal=USR1 --batch "$refused"

expect_end "$most" 85 0
expect_text most.log 'not requeued \(restarted 0 times, MAX_RESTARTS is 0\), submit it again'
expect_end "$refused" 85 0
expect_text refused.log 'not requeued \(Slurm refused it: .+\), submit it again'
for code in 127 0; do
  broken[code]=$(GRAZE=$work/broken$code submit broken$code "$jobs/sweep.sbatch" "$small" refused)
done
expect_end "${chain[0]}" 85 0
expect_text "graze-sweep-${chain[0]}.log" 'not requeued \(GRAZE_REQUEUE=0\), submit it again'
for code in 127 0; do
  expect_end "${broken[code]}" 1 0
  expect_text broken$code.log "not requeued: the launcher ended with $code before graze began"
done
expect_end "$stopped" 85 0
expect_text stopped.log 'not requeued \(somebody asked for the end\), submit it again'
[ ! -e stopped/STOP ] || fail "the file STOP is still there and would stop the next job too"

# two ranks, so two cells begun in each start; the first start may have been in vain, the second may not
wait_until "a cell to be begun" has_lines begun 1
scancel --signal=USR1 --batch "$stuck"
wait_until "a cell to be begun after the requeue" has_lines begun 3
scancel --signal=USR1 --batch "$stuck"
expect_end "$stuck" 1 1
expect_text stuck.log 'failed, not requeued: no progress'

# the slow start is over: the second job does the rest, but for the lines its own slow cells hold up
for i in 1 2; do expect_end "${chain[i]}" 0 0; done
wait $reference_pid || fail "the reference failed: $(cat whole.out)"
expect_same whole chain
[[ $(sessions chain) =~ ^"signal 2 "[0-9]+" ${chain[0]}"$'\n'"complete 2 "[0-9]+" ${chain[1]}"$ ]] || fail "the sessions of the chain are: $(sessions chain)"
"$jobs/chain.sh" many "$small" chain 2>/dev/null && fail "chain.sh takes a word for a number"
exit 0
