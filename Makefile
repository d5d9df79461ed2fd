# `make` lists the verbs. Each one installs what it needs, so nothing must be run before it.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help run build package release test check sanitize lint format bench growth fuzz simulate simulate-coverage chaos soak daily mutants setup clean

SOURCES := Package.swift Sources Tests $(wildcard Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests)
# Number of inputs of each fuzz test in `make check`; `make test` uses a few thousand.
FUZZ_INPUTS ?= 1000000
# Builds a product of the Benchmarks package in the main build directory, so that shared targets are
# compiled only once. SwiftPM keeps its build plan there; it is deleted before and after, or that of
# one package would be used for the other.
build-benchmark = ( rm -f .build/*.yaml; trap 'rm -f .build/*.yaml' EXIT; swift build --no-color-diagnostics --configuration release \
	--package-path Benchmarks --scratch-path .build --product $(1) )
# The test modules of all code that uses unsafe memory. The thread sanitizer is not used: on Linux
# it does not know Swift's Mutex, and reports every use of one as a race.
SANITIZED := ^(JSONText|Scanner|Channels|Postgres|Auth|Instruments|SpoolLog|Ingest|Media|Captures|Gemini|Analysis|Meals|HTTP|Routes|Analysts|Retention|Imports|Doctor|Status|Client)Tests

# Of a release: the commit, and when it was made. Changes that are not committed are told.
COMMIT = $(shell git rev-parse --short=12 HEAD)$(shell git diff --quiet HEAD || echo -changed)
COMMIT_TIME = $(shell git log -1 --format=%ct)

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-17s %s\n", $$1, $$2 }' Makefile

run: build ## build, start a private PostgreSQL and serve; options in ARGS="--port 9000"
	@exec .build/release/sluice serve $(ARGS)

build: setup ## build the release binaries, .build/release/sluice and sluice-inspect beside it
	swift build --no-color-diagnostics --configuration release --product sluice
	swift build --no-color-diagnostics --configuration release --product sluice-inspect

package: ## make packages for this Debian, with Swift's runtime in them: .build-package/sluice*.deb
	@deploy/install-dependencies package
	export SLUICE_COMMIT=$(COMMIT) SOURCE_DATE_EPOCH=$(COMMIT_TIME); \
	for product in sluice sluice-inspect; do swift build --no-color-diagnostics --configuration release --product $$product \
		--static-swift-stdlib --disable-local-rpath --scratch-path .build-package; done
	@SOURCE_DATE_EPOCH=$(COMMIT_TIME) deploy/package/build .build-package

release: package ## packages with SHA256SUMS, SBOM and a signature: .build-package/sluice-VERSION/; SIGNING_KEY=ID
	@SOURCE_DATE_EPOCH=$(COMMIT_TIME) deploy/package/release .build-package $(SIGNING_KEY)

test: ## run every test against a PostgreSQL that the tests start
	@deploy/install-dependencies test
	@Tests/run

check: lint build ## lint, warnings as errors, fuzz inputs, the sanitizer, the OpenAPI document, the status page, deploy/
	@deploy/install-dependencies test check
	SLUICE_WARNINGS_AS_ERRORS=1 SLUICE_FUZZ_INPUTS=$(FUZZ_INPUTS) Tests/run --scratch-path .build-check
	$(MAKE) sanitize
	for suite in Contract Status Deploy Nodes Backup Upgrade; do Tests/Scripts/run $$suite; done

sanitize: ## run the tests of what has unsafe code under the address sanitizer
	@deploy/install-dependencies test
	SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 Tests/run --sanitize address \
		-debug-info-format none \
		--scratch-path .build-address --filter '$(SANITIZED)'

lint: ## say what is not in the house style: format, rooms that import later ones, types in other files
	python3 Tests/Scripts/Lint/rooms.py
	python3 Tests/Scripts/Lint/names.py
	swift format lint --strict --recursive --parallel $(SOURCES)

format: ## put the sources into the house style
	swift format format --in-place --recursive --parallel $(SOURCES)

bench: build ## measure beside the raw limits of this machine; options in ARGS="--help"
	@deploy/install-dependencies bench
	$(call build-benchmark,sluice-bench)
	.build/release/sluice-bench $(ARGS)

growth: build ## draw rate and p99 against devices, connections, days and more; ARGS="--help"
	@deploy/install-dependencies bench
	.build-python/bin/python Benchmarks/Growth/growth.py $(ARGS)

fuzz: ## let libFuzzer look for bodies on which scanner and reference disagree; SECONDS=60
	@deploy/install-dependencies
	Tests/Fuzzing/run $(or $(SECONDS),60)

simulate: setup ## run the ingestion core under random faults and crashes; SEEDS=10000
	swift run --configuration release sluice-simulate --seeds $(or $(SEEDS),10000) $(ARGS)

chaos: build ## let real faults strike under load and read every row back; ARGS="--list"
	@deploy/install-dependencies bench
	$(call build-benchmark,ClockShift)
	$(call build-benchmark,sluice-bench)
	.build/release/sluice-bench chaos $(ARGS)

soak: build ## one fleet for hours with faults now and then: nothing may grow; ARGS="--hours 8"
	@deploy/install-dependencies bench
	$(call build-benchmark,ClockShift)
	$(call build-benchmark,sluice-bench)
	.build/release/sluice-bench soak $(ARGS)

simulate-coverage: setup ## print what of the core the simulation does not reach; SEEDS=2000
	@Tests/Simulation/coverage $(SEEDS)

daily: setup ## a minute of simulation and five power cuts, by date; DATE=2026-01-31
	@deploy/install-dependencies test check
	swift build --build-tests
	@Tests/daily $(DATE)

mutants: ## change the core in a hundred places, and print the changes that no test notices; ARGS="--help"
	@deploy/install-dependencies test
	@python3 Tests/Mutation/mutate.py $(ARGS)

setup: ## install what is missing (libpq, LZ4, OpenSSL, zlib, zstd, qrencode, gexiv2, gd, PostgreSQL)
	@deploy/install-dependencies

clean: ## remove what was built; data in var/ stays
	rm -rf .build .build-* Benchmarks/.build
