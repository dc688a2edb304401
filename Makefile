# What a user and CI run. `make demo` and `make test` are all a new machine needs.

CARGO   ?= cargo
TARGET  := $(or $(CARGO_TARGET_DIR),target)
DEMO    := fixtures:roman-numerals
# Tests at once: half as many again as processors, for many of them wait for other processes.
AT_ONCE := $(shell echo $$(($$(nproc) * 3 / 2)))
# Tests find nothing that other programs or older builds kept.
CACHE   := $(abspath $(TARGET))/tmp/cache

# Parts of the long tests, of seven: another one with each commit, or from `UNIDEBUG_PART=n` on.
PARTS   ?= 1

.PHONY: setup demo test soak bench lint doc deny

## Installs what a new Debian or Ubuntu lacks; does nothing where everything is there.
setup:
	@./.ci/setup

## Repairs a fixture bug with the built-in engine, then again as JSON.
demo: setup
	$(CARGO) build --locked --quiet
	$(TARGET)/debug/unidebug run $(DEMO) --model builtin
	$(TARGET)/debug/unidebug run $(DEMO) --model builtin --quiet --json

## Every short test and a part of the long ones (tests/parts.tsv), with small counts where counts are free to choose.
## `PARTS=7` runs all of them.
test:
	@./.ci/setup test
	@skip=$$(tests/parts.py skip $(PARTS)) && \
	UNIDEBUG_CACHE_DIR=$(CACHE) $(CARGO) test --locked --all-features --quiet -- --test-threads $(AT_ONCE) $$skip

## All tests with full counts, and a Slurm of one node where its daemons can be had.
soak:
	@./.ci/setup soak
	PROPTEST_CASES=20000 UNIDEBUG_SOAK=1 UNIDEBUG_CACHE_DIR=$(CACHE) $(CARGO) test --locked --all-features

## Measurements; they print ratios of things run in one go and never fail on a slow machine.
bench: setup
	$(CARGO) bench --locked

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --all-features --all-targets --quiet -- -D warnings

## The documentation of all items, for contributors; a link that leads nowhere is an error.
doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --all-features --no-deps --document-private-items --quiet

## Licences, sources and known faults of the dependencies (deny.toml); known faults where their list can be had.
deny:
	$(CARGO) deny --locked --log-level error check licenses bans sources
	@if $(CARGO) deny --locked fetch db >/dev/null 2>&1; then $(CARGO) deny --locked --log-level error check advisories; \
	else echo "passed over: the list of known faults cannot be had here"; fi
