# shellcheck shell=bash
# graze_job.sh - what sweep.sbatch and array.sbatch share: run graze, pass signals on to the ranks, decide what becomes of the job.
# They read this file from the folder they were submitted from, so it stays beside them. It is never submitted itself.
#
#   signal to the batch script                       ranks           job
#   SIGUSR1  `--signal`, scancel -s USR1 -b JOB      save and stop   is requeued, and goes on
#   SIGUSR2  scancel -s USR2 -b JOB                  save, go on     goes on
#   (none)   touch FOLDER/STOP                       save and stop   ends
#   SIGTERM  scancel JOB, time limit, preemption     save and stop   ends: requeued from here, a cancelled job would come back
#
# Exit codes of the job: 0 complete; 64 options, 65 files, 70 internal, 74 disk, for somebody to mend; 85 saved, submit it again; 1 failed.
#
# job_begin   uses jobs (this folder), GRAZE and SITE_PROFILE; sets GRAZE, the program
# job_run     FOLDER WORDS...: `graze WORDS` on all tasks of the job, its results in FOLDER; does not return

# a task of an array by its own name: the plain number of its last task means the whole array
job=${SLURM_JOB_ID:-}
[ -z "${SLURM_ARRAY_TASK_ID:-}" ] || job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
say() { echo "job $job: $*"; }
die() { # code, text
  echo "job $job: $2" >&2
  exit "$1"
}

# Signals may come at any moment from here on. bash runs a trap between commands, and at once while it waits.
launcher='' stop='' cancelled=''
pass_on() { [ -z "$launcher" ] || kill -s "$1" "$launcher" 2>/dev/null; }
trap 'stop=1; pass_on USR1' USR1
trap 'pass_on USR2' USR2
# USR1 also here: srun and mpirun would answer TERM by killing the ranks
trap 'stop=1 cancelled=1; pass_on USR1' TERM

job_begin() {
  local profile=${SITE_PROFILE:-$jobs/site.profile} program
  if [ -f "$profile" ]; then
    # shellcheck source=/dev/null
    . "$profile"
  elif [ -n "${SITE_PROFILE:-}" ]; then
    die 65 "there is no site profile $profile"
  fi
  # the build of this source tree, or the program installed with these scripts (PREFIX/share/graze/jobs)
  for program in "${GRAZE:-}" "$jobs/../build/release/graze" "$jobs/../../../bin/graze" "$(command -v graze)"; do
    [ -n "$program" ] || continue
    if [ -x "$program" ]; then
      GRAZE=$program
      # one thread per rank: the ranks are the parallelism
      export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-1}
      return
    fi
    [ -z "${GRAZE:-}" ] || break # what was asked for is not replaced by something else
  done
  die 65 "no program graze${GRAZE:+ at $GRAZE}: build it (./quickstart build), or set GRAZE=/path/to/graze"
}

job_run() {
  local folder=$1 before code text
  local -a start
  shift
  case ${LAUNCHER:-srun} in
    # with one rank gone nobody waits for the others, whatever MPI srun speaks
    srun) start=(srun --kill-on-bad-exit=1) ;;
    mpirun) start=(mpirun -n "${SLURM_NTASKS:?not a job}") ;;
    *) die 64 "LAUNCHER is srun or mpirun, not '$LAUNCHER'" ;;
  esac

  say "start $((${SLURM_RESTART_COUNT:-0} + 1)), $SLURM_NTASKS ranks on $SLURM_JOB_NODELIST with ${start[0]}, $(date '+%F %T')"
  before=$(cat "$folder/status.json" 2>/dev/null)
  code=85
  if [ -z "$stop" ]; then
    "${start[@]}" "$GRAZE" "$@" &
    launcher=$!
    [ -z "$stop" ] || pass_on USR1 # one that came between the two lines above
    while kill -0 "$launcher" 2>/dev/null; do wait "$launcher"; done # a signal ends the wait, not the launcher
    wait "$launcher"
    code=$?
    launcher=''
  fi

  case $code in
    64 | 65 | 70 | 74)
      say "graze ended with $code, see its line above: not requeued"
      exit $code
      ;;
  esac
  # mpirun and srun do not always keep the code of the ranks, a rank that died has none, and srun was seen to end with 0 when it could start
  # none: the folder knows
  text=$("$GRAZE" info -state "$folder" 2>&1)
  case $? in
    0)
      say "complete"
      exit 0
      ;;
    85) ;;
    *)
      say "failed, not requeued: $text (the launcher ended with $code)"
      exit 1
      ;;
  esac
  if [ -z "$stop" ] && [ "$(cat "$folder/status.json" 2>/dev/null)" = "$before" ]; then
    say "failed, not requeued: the launcher ended with $code before graze began"
    exit 1
  fi
  job_come_back "$folder" "$text"
}

# Saved, and not complete: requeue the job, or say why not.
job_come_back() { # folder, what graze says of it
  local restarts=${SLURM_RESTART_COUNT:-0} most=${MAX_RESTARTS:-20} answer why=''
  if [ -n "$cancelled" ]; then
    why="Slurm ends this job"
  elif [[ $2 == *'by the file STOP'* ]]; then
    why="somebody asked for the end"
  elif [ "${GRAZE_REQUEUE:-1}" = 0 ]; then
    why="GRAZE_REQUEUE=0"
  elif [ "$restarts" -ge "$most" ]; then
    why="restarted $restarts times, MAX_RESTARTS is $most"
  elif answer=$(scontrol requeue "$job" 2>&1); then
    say "requeued, restart $((restarts + 1)) of at most $most: $2"
    exit 85
  else
    why="Slurm refused it: $answer"
  fi
  say "not requeued ($why), submit it again to go on: $2"
  exit 85
}
