# SPDX-License-Identifier: Apache-2.0

GO      ?= go
BIN     := bin/touchstone
PKGS    := ./...
# Where the linter is installed; its version is pinned here and nowhere else.
LINT         := bin/golangci-lint
LINT_VERSION := v2.12.2
# The linter's cache keeps the paths of the checkout that filled it, and rules
# that name paths miss findings of another one: each checkout has its own.
export GOLANGCI_LINT_CACHE := $(CURDIR)/bin/lint-cache

# How tests are run: $(call tests,flags of go test,packages,arguments of the tests). With
# RERUN=1, as CI has it, tests that failed, up to RERUN_MOST with subtests, are run once more by
# themselves, and those are told (docs/adr/0058-failed-tests-are-run-again.md).
GOTESTSUM         := bin/gotestsum
GOTESTSUM_VERSION := v1.13.0
RERUN_MOST        := 6
ifdef RERUN
tests = $(GOTESTSUM) --format pkgname --format-icons text --rerun-fails=1 --rerun-fails-max-failures=$(RERUN_MOST) --rerun-fails-run-root-test \
	--packages="$(2)" -- $(1) $(if $(3),-args $(3))
test-needs := $(GOTESTSUM)
else
tests = $(GO) test $(1) $(2) $(if $(3),-args $(3))
endif

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z][a-z-]*:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: needs
needs:
	@command -v $(GO) >/dev/null || { echo "Go 1.26 or newer is needed: https://go.dev/doc/install" >&2; exit 1; }
	@command -v gcc >/dev/null && command -v g++ >/dev/null || { echo "a C and C++ compiler is needed: apt-get install gcc g++" >&2; exit 1; }

.PHONY: build
build: needs ## build the collector into bin/touchstone
	CGO_ENABLED=1 $(GO) build -trimpath -ldflags '-s -w' -o $(BIN) ./components

# A binary without libraries of the machine, for images and packages.
STATIC := bin/touchstone-static

.PHONY: build-static
build-static: needs ## build the collector without shared libraries into bin/touchstone-static
	CGO_ENABLED=1 $(GO) build -trimpath -tags netgo,osusergo -ldflags '-s -w -linkmode external -extldflags "-static"' -o $(STATIC) ./components

# The binary for sidecars: no stores, no models, no C, and nothing that looks methods up
# by names of run time (docs/adr/0049-slim-build.md).
SLIM := bin/touchstone-slim
SLIM_MOD := build/slim.mod

.PHONY: build-slim
build-slim: $(SLIM_MOD) ## build the collector for sidecars, without stores and models, into bin/touchstone-slim
	CGO_ENABLED=0 $(GO) build -trimpath -modfile=build/slim.mod -tags grpcnotrace -ldflags '-s -w' -o $(SLIM) ./components/slim

# go.mod with modules of ours in the place of others, and what go.sum says of the rest.
$(SLIM_MOD): go.mod go.sum components/slim/without/slim.sh
	components/slim/without/slim.sh $@

.PHONY: run
run: build ## run the collector with config.yaml on ./data
	@echo "web UI: http://$${TOUCHSTONE_API:-127.0.0.1:8080}/ui/"
	$(BIN) --config config.yaml

.PHONY: demo
demo: build ## see recorded SDK traffic go in, be judged and come back
	$(GO) run ./tools/demo -binary $(BIN)

.PHONY: demo-ui
demo-ui: build ## a collector with recorded traffic to look at in the web UI, until Ctrl-C
	$(GO) run ./tools/demo -binary $(BIN) -stay

.PHONY: postgres
postgres: ## have a PostgreSQL server for the tests, where there is none
	tools/postgres.sh

.PHONY: npm
npm: ## have npm for the tests, where there is none
	tools/npm.sh

.PHONY: test
test: needs postgres npm $(test-needs) ## run all tests; with COVER=1 those of internal/ as cover does
ifdef COVER
	CGO_ENABLED=1 $(call tests,-timeout 40m,$$($(GO) list ./... | grep -v '/touchstone/internal/' | tr '\n' ' '))
	$(MAKE) cover COVER=
else
	CGO_ENABLED=1 $(call tests,-timeout 40m,$(PKGS))
endif

# Every test process adds its coverage to a directory, so that one that is run again
# loses nothing of the others'.
COVERAGE := $(CURDIR)/build/coverage

.PHONY: cover
cover: needs postgres npm $(test-needs) ## test internal/ and fail under 85 % coverage
	rm -rf $(COVERAGE) && mkdir -p $(COVERAGE)
	CGO_ENABLED=1 $(call tests,-timeout 40m -cover -coverpkg=./internal/...,./internal/...,-test.gocoverdir=$(COVERAGE))
	@$(GO) tool covdata textfmt -i=$(COVERAGE) -o coverage.out
	@$(GO) tool cover -func coverage.out | awk '/^total:/ {print "coverage of internal/: " $$3; exit ($$3 + 0 < 85)}'

.PHONY: fuzz
fuzz: needs ## run every fuzz test for FUZZTIME (5s)
	GO=$(GO) tools/fuzz.sh $(or $(FUZZTIME),5s)

.PHONY: fuzz-long
fuzz-long: needs ## run every fuzz test for FUZZTIME (10m), which takes a day
	GO=$(GO) tools/fuzz.sh $(or $(FUZZTIME),10m)

.PHONY: bench
bench: build ## measure ingest, overhead, pages, disk and memory, with ENGINE (duckdb) or clickhouse; writes docs/bench.md; MINUTES (0) of a steady load tell whether memory grows; TEXTS, the directory of the data sets, measures calls with HaluEval's texts instead
	$(GO) run ./tools/bench -binary $(BIN) -engine $(or $(ENGINE),duckdb) -spans $(or $(SPANS),2000000) -minutes $(or $(MINUTES),0) $(if $(TEXTS),-texts "$(TEXTS)" -batch 100 -clients 4) -out docs/bench.md
	$(GO) run ./tools/sizing

.PHONY: bench-sidecar
bench-sidecar: build build-slim ## measure a sidecar with five local evaluators, beside the same collector without our processors; into docs/bench.md
	$(GO) run ./tools/bench -binary $(BIN) -sidecar $(SLIM) -spans $(or $(SPANS),100000) -out docs/bench.md

.PHONY: bench-control
bench-control: needs postgres ## measure how soon PROCESSES (100) over one PostgreSQL with 20,000 setups know a change
	TOUCHSTONE_TEST_CACHES=$(or $(PROCESSES),100) CGO_ENABLED=1 $(GO) test -count=1 -timeout 20m -run TestManyProcessesConverge -v ./internal/store/cache

.PHONY: bench-neighbour
bench-neighbour: needs ## measure for SECONDS (15) each what an environment notices of one that is at ten times its share
	TOUCHSTONE_NEIGHBOUR_SECONDS=$(or $(SECONDS),15) CGO_ENABLED=1 $(GO) test -timeout 1h -count=1 -run 'TestNeighbour$$' -v ./components

.PHONY: bench-move
bench-move: needs postgres ## move SPANS (1000000) spans to servers with one kill in the middle, and compare
	TOUCHSTONE_BENCH_SPANS=$(or $(SPANS),1000000) CGO_ENABLED=1 $(GO) test -count=1 -timeout 4h -run '^$$' -bench BenchmarkMigrateData -benchtime 1x ./components

.PHONY: bench-large
bench-large: needs ## measure pages over SPANS (10000000) stored spans; DIR keeps the store, of a kilobyte a span, for other runs
	TOUCHSTONE_BENCH_SPANS=$(or $(SPANS),10000000) TOUCHSTONE_BENCH_DIR=$(DIR) CGO_ENABLED=1 $(GO) test -count=1 -timeout 4h -run '^$$' -bench BenchmarkQueries -benchtime 10x ./internal/store/duckdb

.PHONY: soak
soak: needs ## kill -9 under load, again and again (ROUNDS, default 10), a week of partitions, random selectors, statements that get lost
	TOUCHSTONE_SOAK_ROUNDS=$(or $(ROUNDS),10) CGO_ENABLED=1 $(GO) test -timeout 4h -count=1 -run 'TestKill|TestAFleetLoses|TestSelectorsAgree|TestBackfillSurvives|TestAWeekOfPartitions|TestProcessesThatDie|TestEngineThroughDistributed' -v ./components ./internal/store/duckdb ./internal/store/clickhouse

.PHONY: soak-steady
soak-steady: needs ## ordinary load for MINUTES (60) at RATE (2000) spans a second
	TOUCHSTONE_STEADY_MINUTES=$(or $(MINUTES),60) TOUCHSTONE_STEADY_RATE=$(or $(RATE),2000) CGO_ENABLED=1 $(GO) test -timeout 26h -count=1 -run 'TestSteady' -v ./components

$(GOTESTSUM):
	GOBIN=$(CURDIR)/bin $(GO) install gotest.tools/gotestsum@$(GOTESTSUM_VERSION)

$(LINT):
	GOBIN=$(CURDIR)/bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)

.PHONY: lint
lint: needs $(LINT) ## check style and floors
	$(LINT) run --allow-parallel-runners
	cd deploy/check && $(CURDIR)/$(LINT) run --allow-parallel-runners --config ../../.golangci.yml
	cd deploy/release && $(CURDIR)/$(LINT) run --allow-parallel-runners --config ../../.golangci.yml

.PHONY: fmt
fmt: $(LINT) ## format the sources
	$(LINT) fmt

.PHONY: generate
generate: needs ## renew components/ and docs/evaluators.md
	$(GO) tool builder --config builder-config.yaml --skip-get-modules --skip-compilation
	$(GO) tool builder --config builder-slim.yaml --skip-get-modules --skip-compilation
	$(GO) run ./tools/evaluatordocs docs/evaluators.md

.PHONY: fresh
fresh: generate ## fail if a generated file was stale
	git diff --exit-code -- components docs/evaluators.md

.PHONY: ui
ui: needs ## build the web UI into ui/dist; needs Node 18 or newer with npm
	@command -v npm >/dev/null || { echo "npm is needed: apt-get install nodejs npm" >&2; exit 1; }
	cd ui && npm ci --ignore-scripts --no-audit --no-fund
	cd ui && node_modules/.bin/tsc --noEmit
	$(GO) run ./tools/ui

.PHONY: ui-dev
ui-dev: needs ## serve the web UI from ui/src at DEV (127.0.0.1:5173), over the collector of make run
	cd ui && npm ci --ignore-scripts --no-audit --no-fund
	$(GO) run ./tools/ui -dev $(or $(DEV),127.0.0.1:5173) -collector http://$${TOUCHSTONE_API:-127.0.0.1:8080}

.PHONY: fresh-ui
fresh-ui: ui ## fail if the committed build of the web UI was stale
	git diff --exit-code -- ui/dist
	@test -z "$$(git status --porcelain -- ui/dist)" || { git status -- ui/dist; exit 1; }

.PHONY: test-ui
test-ui: ui build $(test-needs) ## test the web UI in a browser; needs Chromium too, or BROWSER
	TOUCHSTONE_BINARY=$(CURDIR)/$(BIN) CGO_ENABLED=1 $(call tests,-tags ui -timeout 30m -count=1,./ui/...)

.PHONY: bench-ui
bench-ui: build ## measure the web UI in a browser over SPANS (200000) spans, while RATE (0) more a second arrive
	TOUCHSTONE_BINARY=$(CURDIR)/$(BIN) TOUCHSTONE_UI_SPANS=$(or $(SPANS),200000) TOUCHSTONE_UI_RATE=$(or $(RATE),0) CGO_ENABLED=1 $(GO) test -tags ui -count=1 -timeout 60m -run '^$$' -bench BenchmarkUI -benchtime 1x ./ui/e2e

.PHONY: ui-pictures
ui-pictures: ui build ## write pictures of every screen to build/pictures, and those of the demo to docs/ui
	mkdir -p build/pictures
	TOUCHSTONE_BINARY=$(CURDIR)/$(BIN) TOUCHSTONE_PICTURES=$(CURDIR)/build/pictures CGO_ENABLED=1 $(GO) test -tags ui -count=1 -run 'TestPictures|TestDemo' ./ui/e2e
	for name in spans live beside trace conversation verdicts monitors trend; do cp build/pictures/demo-$$name-light-1280.png docs/ui/$$name.png || exit 1; done

IMAGE       ?= touchstone:latest
IMAGE_BUILD ?= buildah bud --format docker

.PHONY: image
image: build-static ## build the container image IMAGE, with buildah or IMAGE_BUILD="docker build"
	deploy/image/prepare.sh $(STATIC) build/image
	$(IMAGE_BUILD) -t $(IMAGE) build/image

IMAGE_SLIM ?= touchstone-slim:latest

.PHONY: image-slim
image-slim: build-slim ## build the container image of sidecars IMAGE_SLIM, as image does
	deploy/image/prepare.sh $(SLIM) build/image-slim slim.Dockerfile
	$(IMAGE_BUILD) -t $(IMAGE_SLIM) build/image-slim

.PHONY: test-image
test-image: export STORAGE_DRIVER = vfs
test-image: export BUILDAH_ISOLATION = chroot
test-image: ## build an image without a daemon and run it on a read-only root; needs root and buildah
	$(MAKE) image IMAGE=localhost/touchstone:test
	deploy/image/check.sh localhost/touchstone:test

.PHONY: test-deploy
test-deploy: build ## render the chart, load the compose files, install the package
	cd deploy/check && $(GO) test -timeout 20m ./...

.PHONY: licences
licences: build ## write a bill of materials and the licences of all that is linked to build/release; fail at one that is not allowed
	cd deploy/release && $(GO) run . -binary ../../$(BIN) -version $(or $(VERSION),0.0.0) -out ../../build/release

.PHONY: release-notes
release-notes: needs ## print what the changelog says of VERSION
	@cd deploy/release && $(GO) run . -version "$(VERSION)" -notes ../../CHANGELOG.md

.PHONY: test-release
test-release: build build-slim ## test what releases are made with, and that two builds have the same bytes
	cd deploy/release && $(GO) test -timeout 30m ./...

.PHONY: test-upgrade
test-upgrade: needs ## test upgrade and downgrade between the last tag and this commit
	GO=$(GO) deploy/release/upgrade.sh

.PHONY: test-old-clickhouse
test-old-clickhouse: needs ## test what is said of a ClickHouse that is too old, on Debian's
	tools/old-clickhouse.sh
	CGO_ENABLED=1 $(GO) test -tags oldclickhouse -count=1 -run TestAnOldClickHouse ./extension/storeextension

.PHONY: pins
pins: ## fail if a collector module is not at its pinned version
	@! $(GO) list -m all | grep -E 'go\.opentelemetry\.io/collector|opentelemetry-collector-contrib' | grep -vE ' v(0\.161\.0|1\.67\.0)$$'

.PHONY: vulns
vulns: needs ## look for known vulnerabilities, where their database can be reached
	GO=$(GO) tools/vulns.sh

.PHONY: models
models: needs ## train the embedded models again: DATA=dir of the data sets
	$(GO) run ./tools/models -data $(DATA)
	$(GO) run ./tools/lexicon -data $(DATA)
	$(GO) run ./tools/lettermodel -data $(DATA)
	$(GO) run ./tools/names -data $(DATA)

.PHONY: accuracy
accuracy: needs ## measure the evaluators on labelled data, fail below a bar: DATA=dir
	$(GO) run ./tools/accuracy -data $(DATA) -out docs/accuracy.md
	DATA=$(abspath $(DATA)) $(GO) test -tags data -run Presidio ./internal/evaluators/pii

.PHONY: clean
clean: ## remove what was built
	rm -rf bin coverage.out
