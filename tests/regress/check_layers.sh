#!/usr/bin/env bash
# check_layers - the rules of the house that a compiler does not check. Prints the offending lines; silent when right.
#
#   1 includes point down only: base < io < beam < spectrum < impact < orbit < pool < { continuation, sweep } < app, and a private header
#     stays in its folder
#   2 beam .. orbit never see io
#   3 MPI_COMM_WORLD and PETSC_COMM_WORLD in src/app and src/pool only (and in tests)
#   4 HDF5 is called in src/io only
#   5 the options database is read in src/base only
#
# A public header include/graze/X.h belongs to the lowest layer that holds an X.c.
# usage: check_layers.sh [TREE]
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"

layers="base io beam spectrum impact orbit pool continuation sweep app"
declare -A rank
n=0
for layer in $layers; do rank[$layer]=$((n++)); done

wrong=0
complain() { printf '%s\n' "$1" >&2; wrong=1; }

# a file without its comments and strings, lines kept in place (include lines keep their file name)
code() {
  awk '{
    line = ""
    while (length($0)) {
      if (inside) { i = index($0, "*/"); if (!i) { $0 = ""; break }; $0 = substr($0, i + 2); inside = 0 }
      else { i = index($0, "/*"); if (!i) { line = line $0; $0 = "" } else { line = line substr($0, 1, i - 1); $0 = substr($0, i + 2); inside = 1 } }
    }
    sub(/\/\/.*/, "", line)
    if (line !~ /^[ \t]*#[ \t]*include/) gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
    print line
  }' "$1"
}

layer_of_header() { # graze/X.h -> the lowest layer with an X.c
  local name=${1#graze/} layer
  name=${name%.h}
  if [ "$name" = compat ]; then echo base; return; fi # macros only: no compat.c
  for layer in $layers; do
    if [ -f "src/$layer/$name.c" ]; then echo "$layer"; return; fi
  done
  return 1
}

check_includes() { # file layer; its code in $text
  local file=$1 layer=$2 header other
  while read -r header; do
    case $header in
      graze_version.h) ;;
      graze/*)
        if [ ! -f "include/$header" ]; then complain "$file: there is no include/$header"; continue; fi
        other=$(layer_of_header "$header") || true
        if [ -z "$other" ]; then complain "$file: $header belongs to no layer (no .c of that name in src/)"; continue; fi
        if [ "${rank[$other]}" -gt "${rank[$layer]}" ]; then complain "$file: layer $layer includes $header of layer $other above it"; fi
        if [ "$layer $other" = "sweep continuation" ]; then complain "$file: sweep and continuation do not see each other ($header)"; fi
        if [ "$other" = io ]; then
          case $layer in beam | spectrum | impact | orbit) complain "$file: layer $layer must not see io ($header)" ;; esac
        fi
        ;;
      *) [ -f "$(dirname "$file")/$header" ] && [ "${header#*/}" = "$header" ] || complain "$file: private header \"$header\" is not in the same folder" ;;
    esac
  done < <(sed -nE 's/^[ \t]*#[ \t]*include[ \t]*"([^"]+)".*/\1/p' <<<"$text")
}

forbid() { # file pattern sentence; its code in $text
  local lines
  lines=$(grep -nE -m 3 "$2" <<<"$text" || true)
  if [ -n "$lines" ]; then complain "$1: $3: line ${lines//$'\n'/; line }"; fi
}

files=0
for layer in $layers; do
  for file in src/"$layer"/*.[ch]; do
    [ -f "$file" ] || continue
    files=$((files + 1))
    text=$(code "$file")
    check_includes "$file" "$layer"
    case $layer in app | pool) ;; *) forbid "$file" '\b(MPI|PETSC)_COMM_WORLD\b' "world communicator outside src/app and src/pool" ;; esac
    [ "$layer" = io ] || forbid "$file" '\bH5[A-Z]+[a-z]\w*[ \t]*\(|include[ \t]*<hdf5' "HDF5 outside src/io"
    [ "$layer" = base ] || forbid "$file" '\bPetscOptions[A-Z]\w*[ \t]*\(' "options database outside src/base"
  done
done
for file in include/graze/*.h; do
  header=${file#include/}
  layer=$(layer_of_header "$header") || true
  if [ -z "$layer" ]; then complain "$file: belongs to no layer (no .c of that name in src/)"; continue; fi
  text=$(code "$file")
  check_includes "$file" "$layer"
done
[ "$files" -gt 0 ] || complain "no sources under $PWD/src"
exit $wrong
