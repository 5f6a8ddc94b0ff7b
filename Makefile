# SPDX-License-Identifier: Apache-2.0

GO  ?= go
export GO
BIN := bin/touchstone

# One set of flags for programs and tests: few packages are compiled twice. A static program
# needs Go's own resolver, and the slim one needs gRPC without its pages for debugging.
TAGS := netgo,osusergo,grpcnotrace
export CGO_ENABLED := 1
export GOFLAGS := $(filter-out -trimpath -tags=%,$(shell $(GO) env GOFLAGS)) -trimpath -tags=$(TAGS)

.DEFAULT_GOAL := help
.NOTPARALLEL:

.PHONY: help
help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z][a-z-]*:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile
	@echo "make help-all lists the targets of tools/targets.mk, too"

.PHONY: demo
demo: build bin/tools/demo ## see recorded SDK traffic go in, be judged and come back
	bin/tools/demo -binary $(BIN)

.PHONY: run
run: build ## run the collector with config.yaml on ./data
	@echo "web UI: http://$${TOUCHSTONE_API:-127.0.0.1:8080}/ui/"
	$(BIN) --config config.yaml

.PHONY: check
check: build lint test-unit ## build, lint and run the tests that need no server and no browser

.PHONY: test
test: test-needs ui check test-servers test-whole test-ui ## check, then test with PostgreSQL, the whole distribution and a browser

.PHONY: nightly
nightly: needs test-needs ## run what takes long: fuzz tests, upgrades, reproducible builds, licences, coverage, soak, an old ClickHouse
	$(MAKE) fuzz
	$(MAKE) test-upgrade
	$(MAKE) test-release
	$(MAKE) licences
	$(MAKE) cover
	$(MAKE) soak
	$(MAKE) test-old-clickhouse

.PHONY: generate
generate: needs bin/tools/evaluatordocs ## renew components/, docs/evaluators.md and openapi.json
	$(GO) tool builder --config builder-config.yaml --skip-get-modules --skip-compilation
	$(GO) tool builder --config builder-slim.yaml --skip-get-modules --skip-compilation
	bin/tools/evaluatordocs docs/evaluators.md
	$(GO) test ./extension/apiextension -run '^TestDocumentIsTheOneThatIsKept$$' -update

include tools/targets.mk
