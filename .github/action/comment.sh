#!/usr/bin/env bash
# Keeps one comment on the pull request up to date; there is none as long as nothing changes.
# In: GH_TOKEN, PULL_REQUEST, PROJECT, CHANGED, DIFF.
set -euo pipefail

export MARKER="<!-- vmrender ${PROJECT//[^A-Za-z0-9._\/]/_} -->"
comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
body="$RUNNER_TEMP/vmrender-comment.md"
{ printf '%s\n' "$MARKER" && cat "$DIFF"; } > "$body"

# Only a bot's: anybody may have written the marker.
ours='.[] | select(.user.type == "Bot" and (.body | startswith(env.MARKER))) | .id'
if ! ids="$(gh api --paginate "$comments?per_page=100" --jq "$ours")"; then
  echo "::notice title=vmrender::no comment: the token may not read those of the pull request"
  exit 0
fi
id="$(sed -n 1p <<< "$ids")"

if [ -n "$id" ]; then
  request=(--method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id")
elif [ "$CHANGED" = true ]; then
  request=(--method POST "$comments")
else
  exit 0
fi
gh api --silent "${request[@]}" --field "body=@$body" \
  || echo "::notice title=vmrender::no comment: the token may not write one (permissions: pull-requests: write)"
