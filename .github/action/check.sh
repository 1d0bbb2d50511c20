#!/usr/bin/env bash
# Runs COMMAND in the folder PROJECT; findings become annotations. The last step of the action fails, not this
# one: what is wrong is still to be compared, commented and uploaded.
# In: VMRENDER, COMMAND, PROJECT, KUBEVIRT, SHARDS, SHARD, PLAN, SARIF, SUMMARY.
# Out: exit-code; sarif, a file; of the command plan: matrix; plan, a file.
set -euo pipefail
# shellcheck source=plain.sh
source "$GITHUB_ACTION_PATH/.github/action/plain.sh"
[ -z "$PLAN" ] || PLAN="$(realpath -- "$PLAN")"
refuse_links "$PROJECT"
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

# Jobs get the number of a shard and no name: those of overlays are chosen by whoever opened the pull request.
plan() {
  file="$RUNNER_TEMP/vmrender-plan.json"
  if "$VMRENDER" plan "--shards=$SHARDS" > "$file" 2> "$said"; then
    { echo "plan=$file" && printf 'matrix=' && "$VMRENDER" plan "--shards=$SHARDS" --format github; } >> "$GITHUB_OUTPUT"
  else
    code=$?
    print_plainly "$said"
  fi
}

case "$COMMAND" in
  plan) plan ;;
  check) last=(render --check) ;;
  render) last=(render) ;;
  validate) last=() ;;
  *)
    echo "::error title=vmrender::command is one of check, validate, render, plan"
    exit 2
    ;;
esac

if [ "$COMMAND" != plan ]; then
  # Rendering validates as well: where there are shards, no job has to look at all.
  [ -n "$SHARD" ] || run validate ${KUBEVIRT:+"--kubevirt=$KUBEVIRT"}
  if [ "$code" -eq 0 ] && [ "${#last[@]}" -gt 0 ]; then
    run "${last[@]}" ${SHARD:+"--shard=$SHARD"} ${PLAN:+"--plan=$PLAN"}
  fi
fi

if [ "$SARIF" = true ]; then
  validate --format sarif > "$RUNNER_TEMP/vmrender.sarif" 2> /dev/null || true
  echo "sarif=$RUNNER_TEMP/vmrender.sarif" >> "$GITHUB_OUTPUT"
fi
if [ "$SUMMARY" = true ] && [ "$code" -ne 0 ]; then
  [ -n "$SHARD" ] || [ "$COMMAND" = plan ] || validate 2> "$said" || true
  # Indented, it is code to Markdown, whatever is in it; a summary may have 1 MiB.
  { printf '### vmrender %s\n\n' "$COMMAND" && head -c 200000 "$said" | sed 's/^/    /'; } >> "$GITHUB_STEP_SUMMARY"
fi
echo "exit-code=$code" >> "$GITHUB_OUTPUT"
