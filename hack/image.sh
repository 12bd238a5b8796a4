#!/usr/bin/env bash
# Builds the image IMAGE with docker, podman or buildah: the first one on the PATH,
# or the one that BUILDER names. Passes BUILD_IMAGE, RUN_IMAGE, VERSION
# and GOPROXY to the Dockerfile if they are set. PLATFORMS, as
# linux/amd64,linux/arm64, builds an image for each, in one manifest list. K8S is the release
# of the Kubernetes libraries, as for hack/base.sh. PUSHED is a file: the image is pushed, with docker,
# and the file gets its digest.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${IMAGE:?must be the name of the image}"

# copy_base FLAGS FOLDER copies what the Dockerfile takes, as the flags of hack/base.sh show it.
copy_base() {
  local modfile overlay from to
  modfile=$(sed -E 's/.* -modfile=([^ ]+) .*/\1/' <<<"$1")
  overlay=$(sed -E 's/.* -overlay=([^ ]+) .*/\1/' <<<"$1")
  cp -r .dockerignore Dockerfile cmd pkg "${modfile%.mod}".{mod,sum} "$2"
  while IFS=$'\t' read -r from to; do
    from=$2/${from#"$PWD"/}
    if [[ -z $to ]]; then rm -f "$from"; else cp "$to" "$from"; fi
  done < <(sed -nE 's/^  "(.*)": "(.*)",?$/\1\t\2/p' "$overlay")
}

builder=${BUILDER:-$(command -v docker || command -v podman || command -v buildah || true)}
if [[ -z $builder ]]; then
  echo "image: no builder is on the PATH: install docker, podman or buildah" >&2
  exit 1
fi

args=(build --file=Dockerfile "--tag=$IMAGE")
for name in BUILD_IMAGE RUN_IMAGE VERSION GOPROXY; do
  [[ -z ${!name:-} ]] || args+=("--build-arg=$name=${!name}")
done
[[ -z ${PLATFORMS:-} ]] || args+=("--platform=$PLATFORMS")
[[ -z ${PUSHED:-} ]] || args+=(--push "--metadata-file=$PUSHED")

context=.
base=$(hack/base.sh "${K8S:-0.33}")
if [[ -n $base ]]; then
  context=$(mktemp -d)
  trap 'rm -rf "$context"' EXIT
  copy_base "$base" "$context"
  args+=("--build-arg=GOFLAGS=-trimpath -tags=${base##*-tags=}")
fi

# The Dockerfile has a cache mount, which older docker supports only with BuildKit.
[[ $builder != *docker ]] || export DOCKER_BUILDKIT=1
echo "image: $IMAGE with $builder"
cd "$context"
"$builder" "${args[@]}" .
