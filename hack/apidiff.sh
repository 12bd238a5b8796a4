#!/usr/bin/env bash
# Compares the exported API of pkg/apf with that of its last release, the newest tag
# pkg/apf/v*. It fails if an incompatible change is not named, in backquotes, in CHANGELOG.md,
# Unreleased.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
apidiff=$PWD/bin/apidiff module=github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf

release=$(git describe --tags --abbrev=0 --match 'pkg/apf/v*' 2>/dev/null) || {
  echo "verify-api: pkg/apf has no release yet, so there is nothing to compare with"
  exit 0
}
make --no-print-directory bin/apidiff >/dev/null
scratch=$(mktemp -d)
trap 'git worktree remove --force "$scratch/old" 2>/dev/null || true; rm -rf "$scratch"' EXIT
git worktree add --quiet --detach "$scratch/old" "$release"
(cd "$scratch/old/pkg/apf" && "$apidiff" -m -w "$scratch/old.api" "$module") 2>"$scratch/log" &&
  (cd pkg/apf && "$apidiff" -m -incompatible "$scratch/old.api" "$module") >"$scratch/changes" 2>"$scratch/log" ||
  { cat "$scratch/log" >&2; exit 1; }

unreleased=$(awk '/^## /{on = $2 == "Unreleased"} on' CHANGELOG.md)
status=0
while read -r change; do
  name=$(sed -nE 's/^- (\.\/[a-z/]*[.,]? ?)?\(?\*?([A-Za-z.]+).*/\2/p' <<<"$change")
  [ -n "$name" ] || continue
  grep -qE "\`([A-Za-z.]+\.)?${name##*.}\`" <<<"$unreleased" && continue
  echo "verify-api: since $release, pkg/apf changed incompatibly: ${change#- }" >&2
  status=1
done <"$scratch/changes"
[ $status = 0 ] || echo "keep the API, or say in CHANGELOG.md, Unreleased, what an adopter writes instead of each name" >&2
exit $status
