#!/usr/bin/env bash
# Looks for known vulnerabilities in what the server, the plug-in and the engine call. It
# fails if there are any, and with a sentence if no vulnerability database can be read:
# https://vuln.go.dev, or the one that GOVULNDB names.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
govulncheck=$PWD/bin/govulncheck

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
for module in . pkg/apf; do
  if (cd "$module" && "$govulncheck" ./...) >"$log" 2>&1; then
    echo "vuln: $module calls nothing that is known to be vulnerable"
  elif grep -qE 'fetching vulnerabilities|vuln\.go\.dev|index/(db|modules)\.json' "$log"; then
    tail -n 3 "$log" >&2
    echo "vuln: nothing was checked, because the vulnerability database cannot be read: allow https to vuln.go.dev, or set GOVULNDB" >&2
    exit 2
  else
    cat "$log" >&2
    status=1
  fi
done
exit $status
