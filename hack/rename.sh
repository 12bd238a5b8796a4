#!/usr/bin/env bash
# Changes published names of hack/names.env in all files that git tracks, as in:
#
#   hack/rename.sh MODULE=github.com/example/flow IMAGE=registry.example/flow DOMAIN=flow.example
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
fail() { echo "rename: $*" >&2; exit 2; }

[[ $# -gt 0 ]] || fail "name what to change, as in: hack/rename.sh DOMAIN=flow.example"
script=
for change; do
  name=${change%%=*} new=${change#*=}
  [[ $name =~ ^(MODULE|IMAGE|CHARTS|KREW_INDEX|DOMAIN)$ && $change == *=* ]] ||
    fail "'$change' must be MODULE=, IMAGE=, CHARTS=, KREW_INDEX= or DOMAIN= with the new name"
  [[ $new =~ ^[a-z0-9][a-z0-9.-]*\.[a-z0-9]+(:[0-9]+)?(/[A-Za-z0-9._-]+)*$ ]] || fail "'$new' must begin with a domain, as example.com/flow"
  [[ $name =~ ^(IMAGE|CHARTS)$ || $new != *:* ]] || fail "'$new' must have no port: only a registry has one"
  [[ $name != DOMAIN || $new != */* ]] || fail "'$new' must be a domain without a path"
  old=$(sed -n "s/^$name=//p" hack/names.env)
  script+="s#${old//./\\.}#$new#g;"
done
git ls-files -z | while IFS= read -r -d '' file; do
  if [[ -f $file && ! -L $file ]]; then printf '%s\0' "$file"; fi
done | xargs -0 grep -lIZE "$(sed -n 's/^[A-Z_]*=//p' hack/names.env | paste -sd'|')" | xargs -0 sed -i "$script"
git ls-files -z '*.go' | xargs -0 gofmt -w
