#!/usr/bin/env bash
# Removes the folder of rendered trees that an earlier commit left in the checkout.
# In: FOLDER, relative to the workspace.
set -euo pipefail
# shellcheck source=plain.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/plain.sh"
refuse_links "$FOLDER"
rm -rf -- "$FOLDER"
