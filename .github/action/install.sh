#!/usr/bin/env bash
# Installs vmrender into an environment of its own, so that nothing of the job's changes.
# In: PYTHON, VERSION (empty for the one this action is part of). Out: vmrender, the program.
set -euo pipefail

environment="$RUNNER_TEMP/vmrender"
"$PYTHON" -m venv "$environment"
programs="$environment/bin"
[ -d "$programs" ] || programs="$environment/Scripts" # Windows

pip() { "$programs/python" -m pip install --quiet --disable-pip-version-check "$@"; }

if [ -n "$VERSION" ]; then
  pip "vmrender==$VERSION"
else # whoever pins the action by its commit has everything pinned, by hash
  lock="$GITHUB_ACTION_PATH/.ci/lock"
  pip --require-hashes -r "$lock/vmrender.txt" -r "$lock/build.txt"
  pip --no-index --no-deps --no-build-isolation "$GITHUB_ACTION_PATH"
fi
"$programs/vmrender" --version
echo "vmrender=$programs/vmrender" >> "$GITHUB_OUTPUT"
