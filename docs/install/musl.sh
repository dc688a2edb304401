#!/usr/bin/env bash
# Builds a program that needs no library of the machine, and packs it as `cargo binstall` looks for it.
# Needs rustup, and a C compiler for musl (`apt-get install musl-tools`).
set -euo pipefail
cd "$(dirname "$0")/../.."
target="${1:-$(uname -m)-unknown-linux-musl}"
version="$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)"
name="unidebug-$version-$target"

rustup target add "$target"
export "CC_${target//-/_}=musl-gcc"
cargo build --release --locked --target "$target"
packed="target/$target/$name"
mkdir -p "$packed"
cp "target/$target/release/unidebug" LICENSE README.md "$packed/"
"$packed/unidebug" man --out "$packed/man/man1"
tar -C "target/$target" -czf "target/$name.tgz" "$name"
sha256sum "target/$name.tgz"
