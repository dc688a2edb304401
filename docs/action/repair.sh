#!/usr/bin/env bash
# Runs under a cap, and writes what came of it: annotations to the log, a comment, SARIF, the patch. Its inputs are
# variables, so that nothing of a pull request becomes a part of a command.
set -euo pipefail

folder="${RUNNER_TEMP:-/tmp}/unidebug-${GITHUB_RUN_ID:-0}-${GITHUB_RUN_ATTEMPT:-0}-$$"
mkdir -p "$folder"
output() { echo "$1=$2" >> "${GITHUB_OUTPUT:-/dev/null}"; }

flags=(--max-time "${ACTION_MAX_TIME:-5m}")
if [ -n "${ACTION_MODEL:-}" ]; then
  if [ -z "${ACTION_MAX_COST:-}" ]; then
    echo "::error::unidebug: a model needs a cap: set max-cost"
    exit 2
  fi
  flags+=(--model "$ACTION_MODEL" --max-cost "$ACTION_MAX_COST")
  [ -z "${ACTION_BASE_URL:-}" ] || flags+=(--base-url "$ACTION_BASE_URL")
else
  flags+=(--model builtin)
fi
while IFS= read -r test; do
  [ -z "$test" ] || flags+=(--failing "$test")
done <<< "${ACTION_FAILING:-}"
[ "${ACTION_APPLY:-false}" != true ] || flags+=(--apply)

code=0
unidebug run "${ACTION_DIRECTORY:-.}" --out "$folder/run" --format github "${flags[@]}" || code=$?
case "$code" in
  0) output verdict plausible && output patch "$folder/run/patch.diff" ;;
  1) output verdict no_repair ;;
  5) output verdict stopped_at_cap ;;
  3)
    # The test job has its own word already; this one only adds what it knows.
    echo "::warning::unidebug could not work on this project; the log says why"
    exit 0
    ;;
  *) exit "$code" ;;
esac
unidebug report "$folder/run" --format comment --out "$folder/comment.md"
unidebug report "$folder/run" --format sarif --out "$folder/unidebug.sarif"
cat "$folder/comment.md" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
output comment "$folder/comment.md"
output sarif "$folder/unidebug.sarif"
