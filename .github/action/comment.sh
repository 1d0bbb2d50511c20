#!/usr/bin/env bash
# Keeps one comment on the pull request up to date; there is none as long as nothing changes.
# In: GH_TOKEN, PULL_REQUEST, PROJECT, CHANGED, DIFF.
set -euo pipefail

# Print a text with %XX for every other byte, so that each project has a marker of its own, which ends at -->.
quoted() {
  local LC_ALL=C text="$1" at code
  for ((at = 0; at < ${#text}; at++)); do
    case "${text:at:1}" in
      [A-Za-z0-9._~/-]) printf '%s' "${text:at:1}" ;;
      *) printf -v code '%d' "'${text:at:1}" && printf '%%%02X' "$((code & 255))" ;;
    esac
  done
}

MARKER="<!-- vmrender $(quoted "$PROJECT") -->"
export MARKER
body="$RUNNER_TEMP/vmrender-comment.md"
{ printf '%s\n' "$MARKER" && cat "$DIFF"; } > "$body"

# Only those of the token's own user: anybody, and any other bot, may have written the marker.
# shellcheck disable=SC2016 # variables of GraphQL
comments='query($owner: String!, $name: String!, $number: Int!, $endCursor: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    comments(first: 100, after: $endCursor) {
      nodes { id viewerDidAuthor body }
      pageInfo { hasNextPage endCursor }
    }
  } }
}'
ours='.data.repository.pullRequest.comments.nodes[]
  | select(.viewerDidAuthor and (.body | startswith(env.MARKER))) | .id'
if ! ids="$(gh api graphql --paginate --raw-field "query=$comments" --raw-field "owner=${GITHUB_REPOSITORY%/*}" \
  --raw-field "name=${GITHUB_REPOSITORY#*/}" --field "number=$PULL_REQUEST" --jq "$ours")"; then
  echo "::notice title=vmrender::no comment: the token may not read those of the pull request"
  exit 0
fi
id="$(sed -n 1p <<< "$ids")"

if [ -n "$id" ]; then
  # shellcheck disable=SC2016 # as above
  update='mutation($id: ID!, $body: String!) {
    updateIssueComment(input: {id: $id, body: $body}) { clientMutationId }
  }'
  request=(graphql --raw-field "query=$update" --raw-field "id=$id")
elif [ "$CHANGED" = true ]; then
  request=(--method POST "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments")
else
  exit 0
fi
gh api --silent "${request[@]}" --field "body=@$body" \
  || echo "::notice title=vmrender::no comment: the token may not write one (permissions: pull-requests: write)"
