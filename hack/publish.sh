#!/usr/bin/env bash
# The steps of a release, as .github/workflows/release.yaml runs them, one at a time:
#
#   hack/publish.sh 0.2.0 STEP
#
#   prepare   before the tag: the modules of the tree require each other at the release, and
#             CHANGELOG.md has its section; commit what changes
#   check     the tag is on this commit, which `prepare` has changed
#   archives  what hack/release.sh builds, in dist/
#   tags      pushes the tags of the modules, each after those that it requires
#   image     builds and pushes the image for amd64 and arm64; its digest is in dist/image.json
#   chart     pushes the chart; its digest is in dist/chart.txt
#   sign      signs image, chart and checksums without a key, and attests the SBOM of the image
#   subjects  prints names and digests of image and chart, as outputs of a workflow's step
#   release   publishes the release on GitHub, with its notes and the files of dist/
#
# REGISTRY is the registry with its account; by default it is ghcr.io with the account of the module path.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
fail() { echo "publish: $*" >&2; exit 1; }

[[ $# = 2 ]] || fail "name the release and a step, as in: hack/publish.sh 0.2.0 check"
version=${1#v} step=$2
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || fail "'$version' must be a version as 0.2.0"
module=$(sed -n 's/^module //p' go.mod)
account=$(cut -d/ -f2 <<<"$module")
registry=${REGISTRY:-ghcr.io/$account}
image=$registry/${module##*/}
charts=$registry/charts
chart=$charts/${module##*/}

# The modules that others may require, each after those that it requires. Those of tests and tools
# have no release.
released=(pkg/apf . kubectl-apf)

# tag_of FOLDER prints the tag of a module's release.
tag_of() { if [[ $1 = . ]]; then echo "v$version"; else echo "$1/v$version"; fi; }

# required FOLDER prints the modules of this repository that a module requires, with their versions.
required() { sed -nE "s#^(require )?[[:space:]]*($module(/[^ ]*)?) (v[^ ]+).*#\2 \4#p" "$1/go.mod"; }

prepare() {
  local file name
  git ls-files -- go.mod '*/go.mod' | while read -r file; do
    required "${file%go.mod}." | while read -r name _; do
      go mod edit "-require=$name@v$version" "$file"
    done
  done
  grep -q "^## $version" CHANGELOG.md || sed -i "0,/^## Unreleased\$/s//## $version/" CHANGELOG.md
}

check() {
  local folder name found
  [[ $(git rev-parse --verify --quiet "v$version^{commit}") = $(git rev-parse HEAD) ]] || fail "the tag v$version is not on this commit: check out the tag"
  grep -q "^## $version" CHANGELOG.md || fail "CHANGELOG.md has no section '## $version': run hack/publish.sh $version prepare, commit, and move the tag"
  for folder in "${released[@]}"; do
    while read -r name found; do
      [[ $found = "v$version" ]] || fail "$folder/go.mod requires $name $found, not v$version: run hack/publish.sh $version prepare, commit, and move the tag"
    done < <(required "$folder")
  done
}

tags() {
  local folder tag
  for folder in "${released[@]}"; do
    tag=$(tag_of "$folder")
    [[ $(git rev-parse --verify --quiet "$tag^{commit}") = $(git rev-parse HEAD) ]] || git tag "$tag"
    git push origin "refs/tags/$tag"
  done
}

push_image() {
  mkdir -p dist
  IMAGE=$image:v$version VERSION=$version PLATFORMS=linux/amd64,linux/arm64 PUSHED=$PWD/dist/image.json hack/image.sh
}

push_chart() {
  helm push "dist/${module##*/}-$version.tgz" "oci://$charts" 2>&1 | tee dist/chart.txt
}

# digest FILE prints the digest of what was pushed, as a push wrote it to the file.
digest() { sed -nE 's/.*("containerimage.digest": *"|^Digest: *)(sha256:[0-9a-f]{64}).*/\2/p' "$1" | grep . || fail "$1 has no digest: push first"; }

sign() {
  local pushed
  pushed=$image@$(digest dist/image.json)
  cosign sign --yes "$pushed"
  cosign attest --yes --type=cyclonedx --predicate="dist/${module##*/}.cdx.json" "$pushed"
  cosign sign --yes "$chart@$(digest dist/chart.txt)"
  cosign sign-blob --yes --bundle=dist/checksums.txt.sigstore.json dist/checksums.txt
}

subjects() {
  local digest
  digest=$(digest dist/image.json) && printf 'image=%s\nimage-digest=%s\n' "$image" "$digest"
  digest=$(digest dist/chart.txt) && printf 'chart=%s\nchart-digest=%s\n' "$chart" "$digest"
}

release() {
  local files flags=()
  [[ $version != *-* ]] || flags=(--prerelease)
  mapfile -t files < <(find dist -type f ! -name image.json ! -name chart.txt ! -name RELEASE_NOTES.md | LC_ALL=C sort)
  gh release create "v$version" --verify-tag --title="v$version" --notes-file=dist/RELEASE_NOTES.md "${flags[@]}" "${files[@]}"
}

case $step in
prepare) prepare ;;
check) check ;;
archives) hack/release.sh "$version" ;;
tags) tags ;;
image) push_image ;;
chart) push_chart ;;
sign) sign ;;
subjects) subjects ;;
release) release ;;
*) fail "'$step' is no step: name prepare, check, archives, tags, image, chart, sign, subjects or release" ;;
esac
