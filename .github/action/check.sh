#!/usr/bin/env bash
# Runs COMMAND in the folder PROJECT; findings become annotations. The last step of the action fails, not this
# one: what is wrong is still to be compared, commented and uploaded.
# In: VMRENDER, COMMAND, PROJECT, KUBEVIRT, SARIF, SUMMARY. Out: exit-code; sarif, a file.
set -euo pipefail
# shellcheck source=plain.sh
source "$GITHUB_ACTION_PATH/.github/action/plain.sh"
cd -- "$PROJECT"

code=0
said="$RUNNER_TEMP/vmrender-said.txt"

# Annotations come on standard output, everything else on standard error.
run() {
  "$VMRENDER" "$@" --format github 2> "$said" || code=$?
  print_plainly "$said"
}

validate() {
  "$VMRENDER" validate ${KUBEVIRT:+"--kubevirt=$KUBEVIRT"} "$@"
}

case "$COMMAND" in
  check) last=(render --check) ;;
  render) last=(render) ;;
  validate) last=() ;;
  *)
    echo "::error title=vmrender::command is one of check, validate, render"
    exit 2
    ;;
esac

run validate ${KUBEVIRT:+"--kubevirt=$KUBEVIRT"}
if [ "$code" -eq 0 ] && [ "${#last[@]}" -gt 0 ]; then
  run "${last[@]}"
fi

if [ "$SARIF" = true ]; then
  validate --format sarif > "$RUNNER_TEMP/vmrender.sarif" 2> /dev/null || true
  echo "sarif=$RUNNER_TEMP/vmrender.sarif" >> "$GITHUB_OUTPUT"
fi
if [ "$SUMMARY" = true ] && [ "$code" -ne 0 ]; then
  validate 2> "$said" || true
  # Indented, it is code to Markdown, whatever is in it; a summary may have 1 MiB.
  { printf '### vmrender %s\n\n' "$COMMAND" && head -c 200000 "$said" | sed 's/^/    /'; } >> "$GITHUB_STEP_SUMMARY"
fi
echo "exit-code=$code" >> "$GITHUB_OUTPUT"
