# SPDX-License-Identifier: Apache-2.0
#
# The targets behind those of the Makefile, which includes this file.

# Where the linter is installed; its version is pinned here and nowhere else.
LINT         := bin/golangci-lint
LINT_VERSION := v2.12.2
# The linter's cache keeps the paths of the checkout that filled it, and rules
# that name paths miss findings of another one: each checkout has its own.
export GOLANGCI_LINT_CACHE := $(CURDIR)/bin/lint-cache

# The linter vets, so go test does not: $(call tests,time limit and other flags) PACKAGES
tests = $(GO) test -vet=off -timeout $(1)
# The programs that tests of the whole distribution start.
programs = TOUCHSTONE_BINARY=$(CURDIR)/$(BIN) TOUCHSTONE_SLIM=$(CURDIR)/$(SLIM)

.PHONY: help-all
help-all: ## list every target
	@awk 'BEGIN {FS = ":.*## "} /^[a-z][a-z-]*:.*## / {printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: needs
needs:
	@command -v $(GO) >/dev/null || { echo "Go 1.26 or newer is needed: https://go.dev/doc/install" >&2; exit 1; }
	@command -v gcc >/dev/null && command -v g++ >/dev/null || { echo "a C and C++ compiler is needed: apt-get install gcc g++" >&2; exit 1; }

# A program of the module below tools, which has what the product does not depend on.
bin/tools/%: FORCE
	$(GO) -C tools build -o $(CURDIR)/$@ ./$*

.PHONY: FORCE
FORCE:

.PHONY: build
build: needs ## build the collector into bin/touchstone
	$(GO) build -ldflags '-s -w' -o $(BIN) ./components

# A binary without libraries of the machine, for images and packages.
STATIC := bin/touchstone-static

.PHONY: build-static
build-static: needs ## build the collector without shared libraries into bin/touchstone-static
	$(GO) build -ldflags '-s -w -linkmode external -extldflags "-static"' -o $(STATIC) ./components

# The binary for sidecars: no stores, no models, no C, and nothing that looks methods up
# by names of run time (docs/notes/releases-and-migration.md#slim-build).
SLIM := bin/touchstone-slim
SLIM_MOD := build/slim.mod

.PHONY: build-slim
build-slim: $(SLIM_MOD) ## build the collector for sidecars, without stores and models, into bin/touchstone-slim
	CGO_ENABLED=0 $(GO) build -modfile=build/slim.mod -ldflags '-s -w' -o $(SLIM) ./components/slim

# go.mod with modules of ours in the place of others, and what go.sum says of the rest.
$(SLIM_MOD): go.mod go.sum components/slim/without/slim.sh
	components/slim/without/slim.sh $@

.PHONY: demo-ui
demo-ui: build bin/tools/demo ## a collector with recorded traffic to look at in the web UI, until Ctrl-C
	bin/tools/demo -binary $(BIN) -stay

.PHONY: postgres
postgres: ## install PostgreSQL for the tests where there is none
	tools/need.sh postgres

.PHONY: test-needs
test-needs: ## install PostgreSQL, npm and a browser for the tests, or name what is missing
	tools/need.sh postgres npm browser

.PHONY: test-unit
test-unit: needs ## run the tests that need no server and no browser
	$(call tests,40m) $$(tools/packages.sh unit)
	cd tools && $(call tests,40m) ./...

.PHONY: test-servers
test-servers: needs test-needs ## run the tests of packages that start PostgreSQL
	$(call tests,40m) $$(tools/packages.sh servers)

.PHONY: test-clickhouse
test-clickhouse: needs test-needs ## run the tests of the ClickHouse engine
	$(call tests,40m -count=1) $$(tools/packages.sh clickhouse)

# The cache of go test does not notice a new program: hence -count=1.
.PHONY: test-whole
test-whole: build build-slim test-needs ## test the whole distribution
	$(programs) $(call tests,30m -count=1) ./components

UI_TAGS := ui,$(TAGS)

.PHONY: test-ui
test-ui: test-needs ui build ## test the web UI in a browser
	cd tools && $(programs) $(call tests,30m -count=1 -tags $(UI_TAGS)) ./e2e/...

# Each test process adds its coverage to a directory.
COVERAGE := $(CURDIR)/build/coverage

.PHONY: cover
cover: needs test-needs ## test internal/ and fail under 85 % coverage
	rm -rf $(COVERAGE) && mkdir -p $(COVERAGE)
	$(call tests,40m -cover -coverpkg=./internal/...) ./internal/... -args -test.gocoverdir=$(COVERAGE)
	@$(GO) tool covdata textfmt -i=$(COVERAGE) -o coverage.out
	@$(GO) tool cover -func coverage.out | awk '/^total:/ {print "coverage of internal/: " $$3; exit ($$3 + 0 < 85)}'

.PHONY: fuzz
fuzz: needs ## run every fuzz test for FUZZTIME (5s)
	tools/fuzz.sh $(or $(FUZZTIME),5s)

.PHONY: fuzz-long
fuzz-long: needs ## run every fuzz test for FUZZTIME (10m), which takes a day
	tools/fuzz.sh $(or $(FUZZTIME),10m)

.PHONY: bench
bench: build bin/tools/bench bin/tools/sizing ## measure ingest, overhead, pages, disk and memory, with ENGINE (duckdb) or clickhouse; writes docs/bench.md; MINUTES (0) of a steady load tell whether memory grows; TEXTS, the directory of the data sets, measures calls with HaluEval's texts instead
	bin/tools/bench -binary $(BIN) -engine $(or $(ENGINE),duckdb) -spans $(or $(SPANS),2000000) -minutes $(or $(MINUTES),0) $(if $(TEXTS),-texts "$(TEXTS)" -batch 100 -clients 4) -out docs/bench.md
	bin/tools/sizing

.PHONY: bench-sidecar
bench-sidecar: build build-slim bin/tools/bench ## measure a sidecar with five local evaluators, beside the same collector without our processors; into docs/bench.md
	bin/tools/bench -binary $(BIN) -sidecar $(SLIM) -spans $(or $(SPANS),100000) -out docs/bench.md

.PHONY: bench-control
bench-control: needs postgres ## measure how soon PROCESSES (100) over one PostgreSQL with 20,000 setups know a change
	TOUCHSTONE_TEST_CACHES=$(or $(PROCESSES),100) $(GO) test -count=1 -timeout 20m -run TestManyProcessesConverge -v ./internal/store/cache

.PHONY: bench-neighbour
bench-neighbour: build build-slim ## measure for SECONDS (15) each what an environment notices of one that is at ten times its share
	$(programs) TOUCHSTONE_NEIGHBOUR_SECONDS=$(or $(SECONDS),15) $(GO) test -timeout 1h -count=1 -run 'TestNeighbour$$' -v ./components

.PHONY: bench-move
bench-move: build build-slim postgres ## move SPANS (1000000) spans to servers with one kill in the middle, and compare
	$(programs) TOUCHSTONE_BENCH_SPANS=$(or $(SPANS),1000000) $(GO) test -count=1 -timeout 4h -run '^$$' -bench BenchmarkMigrateData -benchtime 1x ./components

.PHONY: bench-large
bench-large: needs ## measure pages over SPANS (10000000) stored spans; DIR keeps the store, of a kilobyte a span, for other runs
	TOUCHSTONE_BENCH_SPANS=$(or $(SPANS),10000000) TOUCHSTONE_BENCH_DIR=$(DIR) $(GO) test -count=1 -timeout 4h -run '^$$' -bench BenchmarkQueries -benchtime 10x ./internal/store/duckdb

.PHONY: soak
soak: build build-slim ## kill -9 under load, again and again (ROUNDS, default 10), a week of partitions, random selectors, statements that get lost, held bodies, many readers, large texts
	$(programs) TOUCHSTONE_SOAK_ROUNDS=$(or $(ROUNDS),10) TOUCHSTONE_HELD_BODIES=480 TOUCHSTONE_BIG_TRACE=200000 TOUCHSTONE_READERS=30 TOUCHSTONE_READ_SPANS=60000 TOUCHSTONE_TEXT_SECONDS=20 $(GO) test -timeout 4h -count=1 -run 'TestHeldBodies|TestReadersOfALargeTrace|TestCallersOfEveryQuestion|TestRateBesideLargeTexts|TestKill|TestAFleetLoses|TestSelectorsAgree|TestBackfillSurvives|TestAWeekOfPartitions|TestProcessesThatDie|TestEngineThroughDistributed' -v ./components ./internal/store/duckdb ./internal/store/clickhouse

.PHONY: soak-steady
soak-steady: build build-slim ## ordinary load for MINUTES (60) at RATE (2000) spans a second
	$(programs) TOUCHSTONE_STEADY_MINUTES=$(or $(MINUTES),60) TOUCHSTONE_STEADY_RATE=$(or $(RATE),2000) $(GO) test -timeout 26h -count=1 -run 'TestSteady' -v ./components

# Modules with dependencies of their own are linted where they are tested.
lint-module = cd $(1) && $(CURDIR)/$(LINT) run --allow-parallel-runners --config $(CURDIR)/.golangci.yml

$(LINT):
	GOBIN=$(CURDIR)/bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)

.PHONY: lint
lint: needs $(LINT) ## check style, floors, and the links and language of pages
	$(LINT) run --allow-parallel-runners
	$(call lint-module,tools)
	cd tools && $(call tests,5m) ./docs

.PHONY: fmt
fmt: $(LINT) ## format the sources
	$(LINT) fmt

.PHONY: fresh
fresh: generate ui ## fail if a generated file or the build of the web UI was stale
	git diff --exit-code -- components docs/evaluators.md extension/apiextension/openapi.json ui/dist
	@test -z "$$(git status --porcelain -- ui/dist)" || { git status -- ui/dist; exit 1; }

# What npm installed for the lock file that is there now.
NODE_MODULES := ui/node_modules/.package-lock.json

$(NODE_MODULES): ui/package-lock.json
	tools/need.sh npm
	cd ui && npm ci --ignore-scripts --no-audit --no-fund
	touch $@

.PHONY: ui
ui: needs $(NODE_MODULES) bin/tools/ui ## build the web UI into ui/dist; needs Node 18 or newer with npm
	cd ui && node_modules/.bin/tsc --noEmit
	bin/tools/ui

.PHONY: ui-dev
ui-dev: needs $(NODE_MODULES) bin/tools/ui ## serve the web UI from ui/src at DEV (127.0.0.1:5173), over the collector of make run
	bin/tools/ui -dev $(or $(DEV),127.0.0.1:5173) -collector http://$${TOUCHSTONE_API:-127.0.0.1:8080}

.PHONY: bench-ui
bench-ui: build ## measure the web UI in a browser over SPANS (200000) spans, while RATE (0) more a second arrive
	cd tools && $(programs) TOUCHSTONE_UI_SPANS=$(or $(SPANS),200000) TOUCHSTONE_UI_RATE=$(or $(RATE),0) $(GO) test -tags $(UI_TAGS) -count=1 -timeout 60m -run '^$$' -bench BenchmarkUI -benchtime 1x ./e2e

.PHONY: ui-pictures
ui-pictures: ui build ## write pictures of every screen to build/pictures, and those of the demo to docs/ui
	mkdir -p build/pictures
	cd tools && $(programs) TOUCHSTONE_PICTURES=$(CURDIR)/build/pictures $(GO) test -tags $(UI_TAGS) -count=1 -run 'TestPictures|TestDemo' ./e2e
	for name in overview spans live beside trace conversation verdicts monitors trend; do cp build/pictures/demo-$$name-light-1280.png docs/ui/$$name.png || exit 1; done

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
test-deploy: build $(LINT) ## render the chart, load the compose files, install the package
	$(call lint-module,deploy/check)
	cd deploy/check && $(call tests,40m) ./...

.PHONY: licences
licences: build ## write a bill of materials and the licences of all that is linked to build/release; fail at one that is not allowed
	cd deploy/release && $(GO) run . -binary ../../$(BIN) -version $(or $(VERSION),0.0.0) -out ../../build/release

.PHONY: release-notes
release-notes: needs ## print what the changelog says of VERSION
	@cd deploy/release && $(GO) run . -version "$(VERSION)" -notes ../../CHANGELOG.md

.PHONY: test-release
test-release: build build-slim $(LINT) ## test what releases are made with, and that two builds have the same bytes
	$(call lint-module,deploy/release)
	cd deploy/release && $(call tests,30m) ./...

.PHONY: test-upgrade
test-upgrade: build build-slim ## test upgrade and downgrade between the last tag and this commit
	$(programs) deploy/release/upgrade.sh

.PHONY: test-old-clickhouse
test-old-clickhouse: needs ## test what is said of a ClickHouse that is too old, on Debian's
	tools/need.sh old-clickhouse
	$(GO) test -tags oldclickhouse,$(TAGS) -count=1 -run TestAnOldClickHouse ./extension/storeextension

.PHONY: pins
pins: ## fail if a collector module is not at its pinned version
	@! { $(GO) list -m all; $(GO) -C tools list -m all; } | grep -E 'go\.opentelemetry\.io/collector|opentelemetry-collector-contrib' | grep -vE ' v(0\.161\.0|1\.67\.0)$$'

.PHONY: vulns
vulns: needs ## look for known vulnerabilities, where their database can be reached
	tools/vulns.sh

.PHONY: models
models: needs bin/tools/models bin/tools/lexicon bin/tools/lettermodel bin/tools/names ## train the embedded models again: DATA=dir of the data sets
	bin/tools/models -data $(DATA)
	bin/tools/lexicon -data $(DATA)
	bin/tools/lettermodel -data $(DATA)
	bin/tools/names -data $(DATA)

.PHONY: word-vectors
word-vectors: needs bin/tools/wordvectors ## make the table of word vectors again
	bin/tools/wordvectors

.PHONY: accuracy
accuracy: needs bin/tools/accuracy ## measure the evaluators on labelled data, fail below a bar: DATA=dir
	bin/tools/accuracy -data $(DATA) -out docs/accuracy.md
	DATA=$(abspath $(DATA)) $(GO) test -tags data,$(TAGS) -run Presidio ./internal/evaluators/pii

.PHONY: clean
clean: ## remove what was built
	rm -rf bin build coverage.out
