#!/usr/bin/env bash
# Builds the program that this action came with, unless the runner has one.
set -euo pipefail
if command -v unidebug >/dev/null; then
  unidebug --version
  exit 0
fi
command -v bwrap >/dev/null || { sudo apt-get update -qq && sudo apt-get install -y -qq bubblewrap; }
cargo install --locked --quiet --path "$GITHUB_ACTION_PATH/../.."
