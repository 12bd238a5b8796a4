#!/usr/bin/env bash
# The steps of a release, as .github/workflows/release.yaml runs them, one at a time:
#
#   hack/publish.sh 0.2.0 STEP
#
#   prepare   before the tag: the modules of the tree require each other at the release, CHANGELOG.md has
#             its section, and Dockerfile the digests of its base images, which docker reads; commit what changes
#   check     the tag is on this commit, which `prepare` has changed
#   archives  what hack/release.sh builds, in dist/
#   tags      pushes the tags of the modules, each after those that it requires
#   login     stores TOKEN of ACTOR for the registries, which helm and cosign read too
#   image     builds and pushes the image for amd64 and arm64; its digest is in dist/image.json
#   chart     pushes the chart; its digest is in dist/chart.txt
#   sign      signs image, chart and checksums without a key, and attests the SBOM of the image
#   subjects  prints names and digests of image and chart, as outputs of a workflow's step
#   release   publishes the release on GitHub, with its notes and the files of dist/
#
# Each step may be repeated after a failure. What is published already is kept. hack/names.env has the names.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
fail() { echo "publish: $*" >&2; exit 1; }

[[ $# = 2 ]] || fail "name the release and a step, as in: hack/publish.sh 0.2.0 check"
version=${1#v} step=$2
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || fail "'$version' must be a version as 0.2.0"
# published NAME prints a name of hack/names.env.
published() { sed -n "s/^$1=//p" hack/names.env; }

module=$(published MODULE)
image=$(published IMAGE)
charts=$(published CHARTS)
chart=$charts/flowcontrol-apiserver

# The modules that others may require, each after those that it requires. Those of tests and tools
# have no release.
released=(pkg/apf . kubectl-apf)

# tag_of FOLDER prints the tag of a module's release.
tag_of() { if [[ $1 = . ]]; then echo "v$version"; else echo "$1/v$version"; fi; }

# required FOLDER prints the modules of this repository that a module requires, with their versions.
required() { sed -nE "s#^(require )?[[:space:]]*($module(/[^ ]*)?) (v[^ ]+).*#\2 \4#p" "$1/go.mod"; }

# noted reports whether CHANGELOG.md has the section of the release.
noted() { grep -qx "## ${version//./\\.}" CHANGELOG.md; }

prepare() {
  local file name
  git ls-files -- go.mod '*/go.mod' | while read -r file; do
    required "${file%go.mod}." | while read -r name _; do
      go mod edit "-require=$name@v$version" "$file"
    done
  done
  noted || sed -i "0,/^## Unreleased\$/s//## $version/" CHANGELOG.md
  noted || fail "CHANGELOG.md has neither '## $version' nor '## Unreleased': write what the release has for users"
  pin
}

# unpinned prints the base images of the Dockerfile that have no digest.
unpinned() { sed -nE '/@sha256:[0-9a-f]{64}$/d; s/^ARG [A-Z]+_IMAGE=//p' Dockerfile; }

pin() {
  local name digest
  for name in $(unpinned); do
    digest=$(published_digest "$name") || fail "docker cannot read the digest of $name: pull it to see why"
    sed -i "s#^\(ARG [A-Z]*_IMAGE=$name\)\$#\1@$digest#" Dockerfile
  done
}

# published_digest IMAGE prints the digest of an image in its registry, if it is there.
published_digest() { docker buildx imagetools inspect "$1" --format='{{.Manifest.Digest}}'; }

check() {
  local folder name found
  [[ $(git rev-parse --verify --quiet "v$version^{commit}") = $(git rev-parse HEAD) ]] || fail "the tag v$version is not on this commit: check out the tag"
  noted || fail "CHANGELOG.md has no section '## $version': run hack/publish.sh $version prepare, commit, and move the tag"
  for folder in "${released[@]}"; do
    while read -r name found; do
      [[ $found = "v$version" ]] || fail "$folder/go.mod requires $name $found, not v$version: run hack/publish.sh $version prepare, commit, and move the tag"
    done < <(required "$folder")
  done
  [[ -z $(unpinned) ]] || fail "Dockerfile names $(unpinned | paste -sd' ') without a digest: run hack/publish.sh $version prepare, commit, and move the tag"
}

tags() {
  local folder tag
  for folder in "${released[@]}"; do
    tag=$(tag_of "$folder")
    [[ $(git rev-parse --verify --quiet "$tag^{commit}") = $(git rev-parse HEAD) ]] || git tag "$tag"
    git push origin "refs/tags/$tag"
  done
}

login() {
  local host
  for host in $(printf '%s\n' "${image%%/*}" "${charts%%/*}" | sort -u); do
    docker login "$host" --username="$ACTOR" --password-stdin <<<"$TOKEN"
  done
}

# A second build has another digest, so an image that is published stays.
push_image() {
  local digest
  mkdir -p dist
  if digest=$(published_digest "$image:v$version" 2>/dev/null); then
    echo "publish: $image:v$version is published already"
    printf '{"containerimage.digest": "%s"}\n' "$digest" >dist/image.json
    return
  fi
  IMAGE=$image:v$version VERSION=$version PLATFORMS=linux/amd64,linux/arm64 PUSHED=$PWD/dist/image.json hack/image.sh
}

# Helm writes the time of the archive into what it pushes, so a second push may have another digest.
push_chart() {
  local archive=flowcontrol-apiserver-$version.tgz pulled
  pulled=$(mktemp -d)
  if helm pull "oci://$chart" --version="$version" --destination="$pulled" >"$pulled/log" 2>&1; then
    echo "publish: $chart:$version is published already"
    cmp "$pulled/$archive" "dist/$archive" || fail "it differs from dist/$archive: make the next patch release"
    mv "$pulled/log" dist/chart.txt
  else
    helm push "dist/$archive" "oci://$charts" 2>&1 | tee dist/chart.txt
  fi
  rm -r "$pulled"
}

# digest FILE prints the digest of what was pushed, as a push wrote it to the file.
digest() { sed -nE 's/.*("containerimage.digest": *"|^Digest: *)(sha256:[0-9a-f]{64}).*/\2/p' "$1" | grep . || fail "$1 has no digest: push first"; }

sign() {
  local pushed
  pushed=$image@$(digest dist/image.json)
  cosign sign --yes "$pushed"
  cosign attest --yes --type=cyclonedx --predicate=dist/flowcontrol-apiserver.cdx.json "$pushed"
  cosign sign --yes "$chart@$(digest dist/chart.txt)"
  cosign sign-blob --yes --bundle=dist/checksums.txt.sigstore.json dist/checksums.txt
}

subjects() {
  local digest
  digest=$(digest dist/image.json) && printf 'image=%s\nimage-digest=%s\n' "$image" "$digest"
  digest=$(digest dist/chart.txt) && printf 'chart=%s\nchart-digest=%s\n' "$chart" "$digest"
}

# The release is a draft until it has all its files. GitHub may reject changes of a published one.
release() {
  local state files flags=()
  state=$(gh release view "v$version" --json=isDraft --jq=.isDraft 2>/dev/null) || state=missing
  if [[ $state = false ]]; then
    echo "publish: the release v$version is published already"
    return
  fi
  [[ $version != *-* ]] || flags=(--prerelease)
  [[ $state = true ]] || gh release create "v$version" --draft --verify-tag --title="v$version" --notes-file=dist/RELEASE_NOTES.md "${flags[@]}"
  mapfile -t files < <(find dist -type f ! -name image.json ! -name chart.txt ! -name RELEASE_NOTES.md | LC_ALL=C sort)
  gh release upload "v$version" --clobber "${files[@]}"
  gh release edit "v$version" --draft=false
}

case $step in
prepare) prepare ;;
check) check ;;
archives) hack/release.sh "$version" ;;
tags) tags ;;
login) login ;;
image) push_image ;;
chart) push_chart ;;
sign) sign ;;
subjects) subjects ;;
release) release ;;
*) fail "'$step' is no step: name prepare, check, archives, tags, login, image, chart, sign, subjects or release" ;;
esac
