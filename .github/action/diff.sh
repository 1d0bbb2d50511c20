#!/usr/bin/env bash
# Compares the work tree with BASE. If that is not possible, the comment of an earlier run says so, and the action
# fails if FAIL_ON names dangers: a change could otherwise pass them by being too large to compare.
# In: VMRENDER, PROJECT, BASE, SUMMARY, FAIL_ON. Out: file, in Markdown; changed, true or false, or nothing;
# gate, the exit code for the dangers that FAIL_ON names.
set -euo pipefail
# shellcheck source=plain.sh
source "$GITHUB_ACTION_PATH/.github/action/plain.sh"
refuse_links "$PROJECT"
cd -- "$PROJECT"

file="$RUNNER_TEMP/vmrender-diff.md"
said="$RUNNER_TEMP/vmrender-said.txt"
code=0
"$VMRENDER" diff "$BASE" --format markdown > "$file" 2> "$said" || code=$?
print_plainly "$said"

if [ ! -s "$file" ]; then
  level=notice
  printf '### Nothing was compared\n\nThe log of the job says why.\n' > "$file"
  echo "file=$file" >> "$GITHUB_OUTPUT"
  if [ -n "${FAIL_ON:-}" ]; then
    level=error
    echo "gate=2" >> "$GITHUB_OUTPUT"
  fi
  echo "::$level title=vmrender::nothing was compared; is the base fetched? (fetch-depth: 2 in actions/checkout)"
  exit 0
fi
[ "$SUMMARY" != true ] || cat "$file" >> "$GITHUB_STEP_SUMMARY"
{
  echo "file=$file"
  if [ "$code" -eq 0 ]; then echo "changed=false"; else echo "changed=true"; fi
} >> "$GITHUB_OUTPUT"

if [ -n "${FAIL_ON:-}" ]; then
  gate=0
  "$VMRENDER" diff "$BASE" --fail-on "$FAIL_ON" > /dev/null 2> "$said" || gate=$?
  [ "$gate" -ne 2 ] || print_plainly "$said"
  echo "gate=$gate" >> "$GITHUB_OUTPUT"
fi
