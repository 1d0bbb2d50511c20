#!/usr/bin/env bash
# Installs vmrender into an environment of its own, so that nothing of the job's changes.
# In: PYTHON, VERSION (empty for the one this action is part of). Out: vmrender, the program.
set -euo pipefail

environment="$RUNNER_TEMP/vmrender"
"$PYTHON" -m venv "$environment"
programs="$environment/bin"
[ -d "$programs" ] || programs="$environment/Scripts" # Windows

"$programs/python" -m pip install --quiet --disable-pip-version-check \
  "${VERSION:+vmrender==}${VERSION:-$GITHUB_ACTION_PATH}"
"$programs/vmrender" --version
echo "vmrender=$programs/vmrender" >> "$GITHUB_OUTPUT"
