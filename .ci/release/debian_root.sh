#!/usr/bin/env bash
# Makes a root file system of Debian 12 with its Python 3.11, in the place of the image python:3.13-slim, where no
# registry of images can be reached.
#
#   debian_root.sh FOLDER     needs root, debootstrap and Debian's packages
set -euo pipefail

root="$1"
[ ! -e "$root/.complete" ] || exit 0
rm -rf -- "$root"
debootstrap --variant=minbase --include=python3-minimal,python3-venv bookworm "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" > "$root.log"
ln -s python3 "$root/usr/bin/python"
rm -rf -- "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/doc/* "$root"/usr/share/man/* "$root"/usr/share/locale/*
touch "$root/.complete"
