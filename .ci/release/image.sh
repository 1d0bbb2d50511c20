#!/usr/bin/env bash
# Builds the container images: targets cli and plugin of docs/argocd/Dockerfile, function too where they are tried.
#
#   image.sh base                       prints the base image, by its digest
#   image.sh try                        builds each for this machine, and starts it without a network, read-only
#   image.sh push NAME VERSION ARCH     pushes NAME:VERSION-ARCH and NAME:VERSION-argocd-ARCH, each with a bill of
#                                       materials and its provenance
#   image.sh join NAME VERSION ARCH…    makes NAME:VERSION and NAME:VERSION-argocd of them
#
# In: PYTHON_IMAGE, the base image; without it python:3.13-slim, by the digest that it has now.
# Out: of join, the outputs name and digest of the step, which are those of NAME:VERSION.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."

most=120000000 # bytes to pull
file=docs/argocd/Dockerfile

digest_of() { docker buildx imagetools inspect "$1" --format '{{.Manifest.Digest}}'; }

base() {
  if [ -n "${PYTHON_IMAGE:-}" ]; then echo "$PYTHON_IMAGE"; else echo "python:3.13-slim@$(digest_of python:3.13-slim)"; fi
}

# Builds a target and runs it as nobody, with no network and with no disk to write to.
try() {
  local target="$1" size
  shift
  docker build --file "$file" --target "$target" --build-arg "PYTHON_IMAGE=$python" --tag "vmrender-$target" .
  size="$(docker save "vmrender-$target" | gzip --fast | wc --bytes)"
  echo "$target: $((size / 1000000)) MB"
  if [ "$size" -gt "$most" ]; then
    echo "$target has $size bytes, and may have $most" >&2
    exit 1
  fi
  docker run --rm --interactive --read-only --network none --cap-drop ALL --security-opt no-new-privileges \
    "vmrender-$target" "$@"
}

# Files are as old as the commit, whenever they are built.
push() {
  local target suffix
  docker buildx create --use --driver docker-container
  for target in cli plugin; do
    suffix=""
    [ "$target" = cli ] || suffix=-argocd
    docker buildx build --file "$file" --target "$target" --build-arg "PYTHON_IMAGE=$python" \
      --build-arg "SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)" --platform "linux/$3" \
      --sbom=true --provenance=mode=max --tag "$1:$2$suffix-$3" --push .
  done
}

join() {
  local name="$1" version="$2" suffix
  shift 2
  for suffix in "" -argocd; do
    docker buildx imagetools create --tag "$name:$version$suffix" "${@/#/$name:$version$suffix-}"
  done
  { echo "name=$name" && echo "digest=$(digest_of "$name:$version")"; } >> "$GITHUB_OUTPUT"
}

case "${1:-}" in
  base) base ;;
  try)
    python="$(base)"
    try cli --version
    echo '{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": []}' | try function
    try plugin vmrender --version
    ;;
  push)
    python="$(base)"
    push "$2" "$3" "$4"
    ;;
  join) join "${@:2}" ;;
  *)
    sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 2
    ;;
esac
