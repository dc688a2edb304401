#!/usr/bin/env bash
# Puts the comment on the pull request: one a pull request, which later runs replace.
set -euo pipefail
mark='<!-- unidebug -->'
body="$(mktemp)"
{ echo "$mark"; cat "$ACTION_COMMENT"; } > "$body"
old="$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$ACTION_NUMBER/comments" \
  --jq ".[] | select(.body | startswith(\"$mark\")) | .id" | head -n 1)"
if [ -n "$old" ]; then
  gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$old" --field "body=@$body" >/dev/null
else
  gh api --method POST "repos/$GITHUB_REPOSITORY/issues/$ACTION_NUMBER/comments" --field "body=@$body" >/dev/null
fi
