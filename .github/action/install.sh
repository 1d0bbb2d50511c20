#!/usr/bin/env bash
# Installs vmrender into an environment of its own, so that nothing of the job's changes.
# What is installed is the commit that the action is taken from, and by hash what it needs.
# In: PYTHON. Out: vmrender, the program.
set -euo pipefail

# The workspace holds what a pull request brings. Python never runs in it, nor with it on its path: `python -m`
# would take a file venv.py or a folder pip/ there for the module.
cd -- "$RUNNER_TEMP"
unset PYTHONPATH PYTHONHOME PYTHONSTARTUP
export PYTHONSAFEPATH=1

environment="$RUNNER_TEMP/vmrender"
"$PYTHON" -I -m venv "$environment"
programs="$environment/bin"
[ -d "$programs" ] || programs="$environment/Scripts" # Windows

pip() { "$programs/python" -I -m pip install --quiet --disable-pip-version-check "$@"; }

lock="$GITHUB_ACTION_PATH/.ci/lock"
pip --require-hashes -r "$lock/vmrender.txt" -r "$lock/build.txt"
pip --no-index --no-deps --no-build-isolation "$GITHUB_ACTION_PATH"
"$programs/vmrender" --version
echo "vmrender=$programs/vmrender" >> "$GITHUB_OUTPUT"
