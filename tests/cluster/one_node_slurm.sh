#!/usr/bin/env bash
# one_node_slurm - a real Slurm on this machine alone, for tests: needs no systemd, writes nothing outside its own folder.
#
#   one_node_slurm.sh up FOLDER     start munged, slurmctld, slurmd; prints the SLURM_CONF to export
#   one_node_slurm.sh down FOLDER   cancel what runs and stop them
#
# It pretends to have at least GRAZE_SLURM_CPUS (4) processors. Daemons listen on the loopback interface, on two free ports.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

die() { printf 'one_node_slurm: %s\n' "$*" >&2; exit 1; }

free_port() { # the first from $1 on that nobody answers on
  local port=$1
  while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
  echo "$port"
}

write_configuration() {
  local host user control daemon cpus=${GRAZE_SLURM_CPUS:-4}
  host=$(hostname -s)
  user=$(id -un)
  control=$(free_port $((20000 + RANDOM % 10000)))
  daemon=$(free_port $((control + 1)))
  cat >"$folder/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$control
SlurmdPort=$daemon
# loopback only
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny

# the user who runs the test is the administrator, with a munged and a key of its own
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=5
CredType=cred/munge

StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
# PMIx names folders, and MPI its shared memory, by the numbers of job and step: no other Slurm on this machine may have the same
TmpFS=$folder/tmp
FirstJobId=$((1000 + (RANDOM * 32768 + RANDOM) % 60000000))
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd.log

# nothing that needs cgroups, a data base or more rights
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none

MpiDefault=pmix
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
EnforcePartLimits=ALL
ReturnToService=2
KillWait=5
# start jobs at once
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
# believe the number of processors below
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
  echo 'CgroupPlugin=cgroup/v1' >"$folder/cgroup.conf"
}

up() {
  local program
  for program in munged slurmctld slurmd sbatch; do
    command -v $program >/dev/null || die "there is no $program here: install Slurm and munge (Debian: slurm-wlm munge)"
  done
  mkdir -p "$folder"/{state,spool,log,munge,tmp}
  chmod 755 "$folder" "$folder/munge"
  (umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
  write_configuration
  # --force: munged mistrusts sockets in a folder below /tmp
  munged --force --key-file="$folder/munge.key" --seed-file="$folder/munge.seed" --socket="$folder/munge/socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/log/munged.log" 2>"$folder/log/munged.err" || die "munged: $(cat "$folder/log/munged.err")"
  slurmctld -f "$SLURM_CONF" || die "slurmctld did not start, see $folder/log"
  slurmd -f "$SLURM_CONF" || die "slurmd did not start, see $folder/log"
  for _ in {1..100}; do
    if sinfo --noheader --format=%T 2>/dev/null | grep -q '^idle'; then
      echo "$SLURM_CONF"
      return
    fi
    sleep 0.1
  done
  tail -n 5 "$folder"/log/*.log >&2
  die "the node did not become idle in 10 s"
}

running() { # a pid that is a process, and not one that has ended and waits to be reaped
  [ -d "/proc/$1" ] && ! grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null
}

down() {
  local name pid
  scancel --user="$(id -un)" 2>/dev/null || true
  # TERM only: slurmctld then saves its state and ends in order
  for name in slurmd slurmctld munged; do
    pid=$(cat "$folder/$name.pid" 2>/dev/null) || continue
    kill "$pid" 2>/dev/null || continue
    for _ in {1..100}; do
      running "$pid" || break
      sleep 0.1
    done
  done
}

[ $# = 2 ] || die "usage: one_node_slurm.sh up|down FOLDER"
folder=$2
export SLURM_CONF=$folder/slurm.conf
case $1 in
  up) up ;;
  down) down ;;
  *) die "usage: one_node_slurm.sh up|down FOLDER" ;;
esac
