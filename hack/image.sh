#!/usr/bin/env bash
# Builds the image IMAGE with docker, podman or buildah: the first one that
# works, or the one that BUILDER names. Passes BUILD_IMAGE, RUN_IMAGE, VERSION
# and GOPROXY to the Dockerfile if they are set. PLATFORMS, as
# linux/amd64,linux/arm64, builds an image for each, in one manifest list.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${IMAGE:?must be the name of the image}"

# works BUILDER: reports whether it is installed and can build; docker needs a daemon.
works() {
  command -v "$1" >/dev/null || return 1
  [[ $1 != docker ]] || docker info >/dev/null 2>&1
}

builder=${BUILDER:-}
if [[ -z $builder ]]; then
  for candidate in docker podman buildah; do
    if works "$candidate"; then
      builder=$candidate
      break
    fi
  done
fi
if [[ -z $builder ]]; then
  echo "image: no builder works here: start the docker daemon, or install podman or buildah" >&2
  exit 1
fi

args=(build --file=Dockerfile "--tag=$IMAGE")
for name in BUILD_IMAGE RUN_IMAGE VERSION GOPROXY; do
  [[ -z ${!name:-} ]] || args+=("--build-arg=$name=${!name}")
done
[[ -z ${PLATFORMS:-} ]] || args+=("--platform=$PLATFORMS")
# The Dockerfile has a cache mount, which older docker supports only with BuildKit.
[[ $builder != docker ]] || export DOCKER_BUILDKIT=1
echo "image: $IMAGE with $builder"
exec "$builder" "${args[@]}" .
