#!/usr/bin/env bash
# test_sweep_sbatch - jobs/sweep.sbatch under a real Slurm, with srun and with mpirun: the job ends 0 with every cell decided, the same command again ends 0
# and changes nothing, and a job that graze refuses ends with graze's exit code and is not requeued. Installed, the scripts find what belongs to them.
# processors: 2
. "$GRAZE_SOURCE_DIR/tests/cluster/cluster.sh"

# all at once: most of a job's time is waiting
declare -A job
for launcher in srun mpirun; do
  export LAUNCHER=$launcher
  job[$launcher]=$(submit $launcher "$jobs/sweep.sbatch" "$here/tiny.yaml" $launcher)
  job[$launcher refused]=$(submit $launcher-refused "$jobs/sweep.sbatch" "$here/tiny.yaml" refused -sweep_amplitud 1:2:2)
done
job[typo]=$(LAUNCHER=aprun submit typo "$jobs/sweep.sbatch" "$here/tiny.yaml" refused)
job[nothing]=$(submit nothing "$jobs/sweep.sbatch" "$here/tiny.yaml")
job[no program]=$(GRAZE=$work/nowhere submit no-program "$jobs/sweep.sbatch" "$here/tiny.yaml" refused)
# a minute is no more than the margin
job[short]=$(submit short --time=1 "$jobs/sweep.sbatch" "$here/tiny.yaml" short)

# an installed tree, in a folder whose name has a space, with a profile of its own
prefix="$work/a prefix"
mkdir -p "$prefix"/{bin,share/graze/jobs}
cp "$jobs"/*.{sh,sbatch} "$prefix/share/graze/jobs"
cp "$GRAZE" "$prefix/bin/graze"
echo 'export LAUNCHER=mpirun' >"$prefix/share/graze/jobs/site.profile"
job[installed]=$(unset GRAZE SITE_PROFILE && submit installed "$prefix/share/graze/jobs/sweep.sbatch" "$here/tiny.yaml" "a folder")
mkdir alone
cp "$jobs/sweep.sbatch" alone
job[alone]=$(submit alone alone/sweep.sbatch "$here/tiny.yaml" refused)

for launcher in srun mpirun; do
  expect_end "${job[$launcher]}" 0 0
  "$PYTHON" - "$launcher/sweep.h5" <<'END' || fail "with $launcher the sweep is not complete"
import sys, h5py
status = h5py.File(sys.argv[1])["status"][()]
if status.size != 6 or status.min() <= 0:
    sys.exit(f"status {status.tolist()}, six decided cells expected")
END
  sum=$(cksum <$launcher/sweep.h5)
  job[$launcher again]=$(LAUNCHER=$launcher submit $launcher-again "$jobs/sweep.sbatch" "$here/tiny.yaml" $launcher)
  expect_end "${job[$launcher again]}" 0 0
  [ "$(cksum <$launcher/sweep.h5)" = "$sum" ] || fail "with $launcher the same command changed a complete result"
  expect_end "${job[$launcher refused]}" 64 0
done
expect_end "${job[typo]}" 64 0
expect_text typo.log "srun or mpirun, not 'aprun'"
expect_end "${job[nothing]}" 64 0
expect_text nothing.log 'usage: sbatch'
expect_end "${job[no program]}" 65 0
expect_text no-program.log "no program graze at $work/nowhere"
expect_end "${job[short]}" 64 0
expect_text short.log 'graze: the time limit \(squeue\) leaves nothing to compute in'
expect_end "${job[installed]}" 0 0
expect_text installed.log 'start 1, 2 ranks on .* with mpirun'
[ -f "a folder/sweep.h5" ] || fail "the installed script left no result"
expect_end "${job[alone]}" 65 0
expect_text alone.log 'graze_job.sh'
[ ! -e refused ] || fail "a job that was refused left its output folder behind"
