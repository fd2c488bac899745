/*
  walltime.h - when the job must end: from -max_walltime, Slurm's environment, or squeue; asked once, by root.
*/
#ifndef GRAZE_WALLTIME_H
#define GRAZE_WALLTIME_H

#include "graze/complaint.h"

typedef struct {
  double    end;        /* Unix time [s]; INFINITY: no limit */
  char      source[64]; /* "-max_walltime", "SLURM_JOB_END_TIME", "squeue", "none" */
} Walltime;

/*
  Root only. max_walltime [s] counts from `begin` (Unix time at which the program started); NaN: not given. Then SLURM_JOB_END_TIME (Unix time), then, in a
  Slurm job, one `squeue -h -j $SLURM_JOB_ID -o %L` that is given up after 10 s, then none. What cannot be understood counts as none, and `source` says so.
*/
PetscErrorCode WalltimeFind(PetscReal max_walltime, double begin, Walltime *walltime);
/* One squeue about a job (digits), given up after `patience` seconds. left: s, NaN if it does not say; why: shape [48], in words what was wrong then. */
PetscErrorCode WalltimeAskSlurm(const char *job, PetscReal patience, PetscReal *left, char *why);
/* "[[D-]HH:]MM:SS", "HH:MM:SS", "D-HH:MM:SS", as Slurm prints times; false if it is none. Slurm's UNLIMITED, INVALID and NOT_SET are none. */
PetscBool WalltimeParse(const char *text, PetscReal *seconds);
/* HH:MM:SS or D-HH:MM:SS into text[32]. */
void WalltimeFormat(PetscReal seconds, char *text);

#endif
