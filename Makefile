# `make` lists what there is. Each target first installs what it lacks (scripts/setup).

# cargo's home may be missing on the path of a shell that is not a login shell.
export PATH := $(PATH):$(if $(CARGO_HOME),$(CARGO_HOME),$(HOME)/.cargo)/bin

WARPSCOPE := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)/release/warpscope

.DEFAULT_GOAL := help
.PHONY: help demo pictures test bench mutants mutants-alone variants fuzz soak python test-cluster lint dist publish-check lab lab-test lab-stop

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | \
		while IFS='|' read -r name text; do printf '%-12s %s\n' "$$name" "$$text"; done

demo: ## Build warpscope, and show what it does on one screen and a half
	@scripts/demo

pictures: ## Draw the pictures in docs/ anew, from shipped captures (a test checks that they are up to date)
	@scripts/setup demo
	UPDATE_DOCS=1 cargo test --locked --test pictures

# Many tests wait for a process or a clock: on two cores, four at a time leave none idle.
test: export RUST_TEST_THREADS ?= $(shell cores=$$(getconf _NPROCESSORS_ONLN); echo $$((cores > 4 ? cores : 4)))
test: ## Run every test
	@scripts/setup test
	cargo test --workspace --locked

bench: ## Time and memory, as ratios: against tshark, the floor, plain TCP for the peer; what the terminal UI takes
	@scripts/setup bench
	@scripts/bench

mutants: mutants-alone variants ## Both sides of the cases: every seeded bug is caught, no variant is accused

mutants-alone: ## Try the conformance cases with the seeded bugs: all, or MUTANTS_SAMPLE of them
	@scripts/setup demo
	cargo build --release --locked --bin warpscope
	@$(WARPSCOPE) conform mutants \
		$(if $(MUTANTS_SAMPLE),--sample $(MUTANTS_SAMPLE) --seed $(or $(MUTANTS_SEED),1))

variants: ## Try the cases with what the documents allow: all, or VARIANTS_SAMPLE of it
	@scripts/setup demo
	cargo build --release --locked --bin warpscope
	@$(WARPSCOPE) conform variants \
		$(if $(VARIANTS_SAMPLE),--sample $(VARIANTS_SAMPLE) --seed $(or $(VARIANTS_SEED),1))

fuzz: ## Run the fuzz targets, FUZZ_SECONDS (20) each, or those that FUZZ_TARGETS names
	@scripts/fuzz $(or $(FUZZ_SECONDS),20) $(FUZZ_TARGETS)

soak: ## Peers at full rate and conformance runs for SOAK_MINUTES (20): is memory flat, is a verdict lost?
	@scripts/setup demo
	cargo build --release --locked --bin warpscope
	@WARPSCOPE='$(WARPSCOPE)' scripts/soak $(or $(SOAK_MINUTES),20)

python: ## Build the Python module, install it in a fresh virtual environment, and run its tests and the notebook
	@scripts/python test

test-cluster: ## Try the data source for Spark with a cluster of two workers on loopback (Java)
	@scripts/python cluster

lint: ## Check format, shell scripts, licences, bans, clippy and documentation
	@scripts/lint

dist: ## Build what is released: static program, archive, .deb, .rpm, SBOM, checksums
	@scripts/dist

publish-check: ## Check that the crates which are meant for others can be published
	@scripts/setup publish-check
	@scripts/publish-check

lab: ## Build and boot two emulated hosts with Linux' software iWARP (Debian, root; lab/README.md)
	@lab/lab build
	@lab/lab boot

lab-test: ## Try warpscope with them, and write target/lab/report
	cargo build --release --locked --bin warpscope
	@WARPSCOPE='$(abspath $(WARPSCOPE))' lab/lab test

lab-stop: ## End them
	@lab/lab stop
