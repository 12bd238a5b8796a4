#!/usr/bin/env bash
# Builds what a release publishes, into dist/ or $DIST:
#
#   hack/release.sh 0.2.0 [server|plugin|artifacts]...
#
#   PROGRAM_OS_ARCH.tar.gz                  server: with its systemd unit; plugin: kubectl-apf
#   PROGRAM.cdx.json                        the modules of a program (CycloneDX)
#   apf.yaml                                plugin: krew's manifest
#   install-OVERLAY.yaml                    artifacts: each overlay as one file
#   flowcontrol-apiserver-VERSION.tgz       artifacts: the Helm chart
#   flowcontrol-apiserver-artifacts.tar.gz  artifacts: the folder, whose install.sh installs an overlay
#   openvex.json                            why what hack/vulnerabilities.txt lists stays (OpenVEX), if no part is named
#   RELEASE_NOTES.md                        the section of CHANGELOG.md, if no part is named
#   checksums.txt                           SHA-256 of the others
#
# PLATFORMS, as "linux/amd64 darwin/arm64", builds for these alone. The same commit, Go and GNU tar
# give the same bytes. A whole release is built from a clean tree only.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# The patch of Go that go.mod names, also where a newer one is installed.
GOTOOLCHAIN=$(sed -n 's/^toolchain //p' go.mod)
export GOTOOLCHAIN
fail() { echo "release: $*" >&2; exit 1; }

version=${1:-} && version=${version#v} && [[ $# = 0 ]] || shift
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || fail "'$version' must be a version as 0.2.0"
tar --version | grep -q GNU || fail "archives need GNU tar, as tar on the PATH"
dist=$(realpath -m "${DIST:-dist}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
module=$(go list -m)
revision=$(git rev-parse HEAD)
changed=$(git status --porcelain)

# notes prints the section of the release in CHANGELOG.md.
notes() { awk -v v="$version" '/^## / { on = ($2 == v); next } on' CHANGELOG.md; }

[[ -z $changed ]] || revision+=-dirty
if [[ $# = 0 ]]; then
  [[ -z $changed ]] || fail "files differ from the commit, so nobody could build this release again: commit or remove them (git status)"
  mkdir -p "$dist"
  notes >"$dist/RELEASE_NOTES.md"
  grep -q . "$dist/RELEASE_NOTES.md" || fail "CHANGELOG.md has no section '## $version': rename '## Unreleased' to it, and commit"
  hack/openvex.sh "$version" >"$dist/openvex.json"
  set -- server plugin artifacts
fi

mkdir -p "$dist"

# pack NAME FOLDER FILE... packs files of a folder, the same bytes each time.
pack() {
  tar --sort=name --format=ustar --mtime=@315532800 --owner=0 --group=0 --numeric-owner --mode=go=u,go-w -C "$2" -c "${@:3}" | gzip -9n >"$dist/$1"
  echo "$dist/$1"
}

# program NAME MODULE PACKAGE MAXIMUM "SYSTEM..." LDFLAGS FILE... builds, packs and describes a program.
program() {
  local name=$1 platform file size
  for platform in ${PLATFORMS:-$(printf '%s/amd64 ' $5; printf '%s/arm64 ' $5)}; do
    local os=${platform%/*} folder="$scratch/$name/$platform"
    file=$name$([[ $os != windows ]] || echo .exe)
    mkdir -p "$folder" && cp LICENSE "${@:7}" "$folder"
    (cd "$2" && GOOS=$os GOARCH=${platform#*/} CGO_ENABLED=0 GOWORK=off GOFLAGS='' \
      go build -trimpath -buildvcs=false -pgo=auto -ldflags="-s -w -buildid= $6" -o "$folder/$file" "$3")
    size=$(wc -c <"$folder/$file")
    [[ $size -le $4 ]] || fail "$file has $size bytes, and must have at most $4: look for a large dependency"
    pack "${name}_${platform/\//_}.tar.gz" "$folder" .
    [[ $platform != linux/amd64 ]] || sbom "$name" "$folder/$file"
  done
}

# sbom NAME FILE writes the modules of a program. A program knows the modules of this repository
# by the folders that replace them, which no scanner finds.
sbom() {
  (cd hack/tools/checks && go run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod bin -json -std -noserial -notimestamp -version="v$version" "$2") |
    sed -e "s#\.\{1,2\}/pkg/#$module/pkg/#g" -e "s#\"\.\.\"#\"$module\"#g" -e "s#golang/\.\.@#golang/$module@#g" -e "s#(devel)#v$version#g" >"$dist/$1.cdx.json"
}

krew() {
  local archive name
  sed "s/VERSION/$version/" artifacts/kubectl-apf/apf.yaml
  for archive in "$dist"/kubectl-apf_*.tar.gz; do
    name=$(basename "$archive" .tar.gz)
    IFS=_ read -r _ os arch <<<"$name"
    printf '  - selector:\n      matchLabels:\n        os: %s\n        arch: %s\n    uri: https://%s/releases/download/v%s/%s.tar.gz\n    sha256: %s\n    bin: kubectl-apf%s\n' \
      "$os" "$arch" "$module" "$version" "$name" "$(sha256sum "$archive" | cut -d' ' -f1)" "$([[ $os != windows ]] || echo .exe)"
  done
}

# changes prints the notes as an annotation of the chart, for Artifact Hub: a line for each, without links.
changes() {
  notes | sed -E 's/ \(\[[^]]*\]\([^)]*\)\)//g; s/\[([^]]*)\]\([^)]*\)/\1/g; s/["\\]/\\&/g' | awk '
    function put() { if (item != "") { if (!count++) print "  artifacthub.io/changes: |"; printf "    - \"%s\"\n", item }; item = "" }
    /^- / { put(); item = substr($0, 3); next }
    /^  / && item != "" { item = item " " substr($0, 3); next }
    { put() }
    END { put() }'
  [[ $version != *-* ]] || echo '  artifacthub.io/prerelease: "true"'
}

artifacts() {
  local image overlay
  image=$(sed -n 's/^IMAGE=//p' hack/names.env)
  git ls-files -z artifacts | xargs -0 cp --parents -t "$scratch"
  grep -rlF "$image:v0.1.0" "$scratch/artifacts" | xargs sed -i "s#$image:v0\.1\.0#$image:v$version#"
  (cd hack/tools/programs && go build -buildvcs=false -o "$scratch/kubectl" k8s.io/kubernetes/cmd/kubectl)
  KUBECTL=$scratch/kubectl hack/chart.sh "$scratch/artifacts"
  pack flowcontrol-apiserver-artifacts.tar.gz "$scratch" artifacts
  for overlay in "$scratch"/artifacts/overlays/*; do
    [[ $overlay == */return-* ]] || "$scratch/kubectl" kustomize "$overlay" >"$dist/install-${overlay##*/}.yaml"
  done
  mv "$scratch/artifacts/chart" "$scratch/flowcontrol-apiserver"
  sed -i -E "s/^(version: |appVersion: v).*/\1$version/" "$scratch/flowcontrol-apiserver/Chart.yaml"
  changes >>"$scratch/flowcontrol-apiserver/Chart.yaml"
  pack "flowcontrol-apiserver-$version.tgz" "$scratch" flowcontrol-apiserver
}

for part; do
  case $part in
  # The locks, sockets and owners of files that the server depends on are Unix's.
  server) program flowcontrol-apiserver . ./cmd/flowcontrol-apiserver $((120 << 20)) "linux darwin" \
    "-X $module/pkg/server.productVersion=$version -X $module/pkg/server.revision=$revision" artifacts/systemd/flowcontrol-apiserver.service ;;
  plugin)
    program kubectl-apf kubectl-apf . $((60 << 20)) "linux darwin windows" "-X $module/kubectl-apf/command.release=$version"
    krew >"$dist/apf.yaml" ;;
  artifacts) artifacts ;;
  *) fail "'$part' is no part: name server, plugin or artifacts" ;;
  esac
done
(cd "$dist" && find . -type f ! -name checksums.txt -printf '%f\n' | sort | xargs sha256sum >"$scratch/sums" && mv "$scratch/sums" checksums.txt)
echo "$dist/checksums.txt"
