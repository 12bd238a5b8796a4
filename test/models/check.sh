#!/usr/bin/env bash
# Checks each model with spin, and that spin finds each fault that the head of the model names.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
for program in spin "${CC:-cc}"; do
  command -v "$program" >/dev/null || {
    echo "models: there is no $program: install it, as in: apt-get install spin gcc, or brew install spin" >&2
    exit 2
  }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check MODEL [FAULT] prints what the verifier says.
check() {
  (cd "$work" && spin ${2:+-D"$2"} -a "$model" && "${CC:-cc}" -O1 -w -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m100000 -w23) || true
}

status=0
for model in "$PWD"/*.pml; do
  name=$(basename "$model" .pml)
  said=$(check "$model")
  states=$(sed -nE 's/^ *([0-9.e+]+) states, stored.*/\1/p' <<<"$said")
  if ! grep -q 'errors: 0' <<<"$said" || grep -qE 'error: max search|out of memory' <<<"$said"; then
    printf '%s\n' "$said" "models: $name has an error: repeat it with spin -a $model" >&2
    status=1
    continue
  fi
  found=()
  for fault in $(sed -nE '/faults? must be found/,/\*\//s/^     ([A-Z]+) .*/\1/p' "$model"); do
    if check "$model" "$fault" | grep -q 'errors: 1'; then
      found+=("$fault")
    else
      echo "models: $name: the fault $fault is not found" >&2
      status=1
    fi
  done
  echo "models: $name: no error in $states states; faults found: ${found[*]:-none}"
done
exit $status
