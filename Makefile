# Developers' commands; `make` lists them. Tools are built from modules: nothing is
# installed by hand, and nothing is written outside the tree and Go's caches.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:

# The setting of the released programs. Programs, tests and linter use it too, so that
# they share Go's build cache. Only race detection needs C.
export CGO_ENABLED := 0

# Without the profile of the server (PGO), for which the go command would compile every
# dependency once more: for its tests, for the linter, for `make run`. `make build` has it.
# Without the path of the clone (-trimpath), so that all clones share the build cache.
export GOFLAGS := $(strip $(filter-out -trimpath -pgo=off,$(GOFLAGS)) -trimpath -pgo=off)

# Compiler and linker take a fifth less processor time when their garbage collector runs less
# often, and 100 MiB more at most. They share the build cache with those that run by default.
TOOLS := -toolexec='env GOGC=400'

# Flags of the server, as in: make run ARGS='--secure-port=7443'
ARGS ?=

# All modules, and those with code of the project.
MODULES := $(sort $(patsubst %/go.mod,%,$(shell find . -name go.mod -not -path '*/.*')))
CODE_MODULES := . ./pkg/apf ./kubectl-apf ./test/parity ./hack/lab

# The engine is a module of its own, which ./... leaves out at the top. Packages of it that
# are named by import path are compiled with the versions of this module, and those in its
# folder with the versions that it requires itself, the lowest.
ENGINE := github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf

LINT = $(CURDIR)/bin/golangci-lint run --config=$(CURDIR)/.golangci.yaml

##@ Run

.PHONY: help
help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z0-9-]+:.*## / { printf "  %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## Run the server with an embedded etcd; its state is in ./.flowcontrol-apiserver
	@hack/run.sh $(TOOLS) -- $(ARGS)

.PHONY: demo
demo: ## Show what small clients get beside 30 greedy ones, with flow control and without
	@cd hack/lab && go run ./exam -demo

# As in: make exam SERVER=https://127.0.0.1:6443 KUBECONFIG=admin.kubeconfig EXAM=-json=exam.json
.PHONY: exam
exam: ## Examine how an API server behaves under overload: SERVER=URL, KUBECONFIG=FILE, EXAM=further flags (two minutes)
	@cd hack/lab && go build -o $(CURDIR)/.cache/exam ./exam
	@.cache/exam -server=$(SERVER) $(if $(KUBECONFIG),-kubeconfig=$(KUBECONFIG)) $(EXAM)

.PHONY: exam-servers
exam-servers: ## Examine kube-apiserver, this server and sample-apiserver; write docs/exam.md (half an hour)
	@cd hack/lab && go test -tags=long -count=1 -timeout=1h ./exam -run '^TestServersHaveTheSameMarksEachTime$$' -v -update-exam
	@cd hack/lab && go test -tags=long -count=1 -timeout=30m ./adoption -run '^TestTheExamTellsASampleServerFromOneWithFlowControl$$' -v -update-exam

.PHONY: demo-picture
demo-picture: ## Run the demo and draw its result; write docs/demo.svg
	@cd hack/lab && go run ./exam -demo -picture=$(CURDIR)/docs/demo.svg

# The release of k8s.io to build the server or its image and test the units on, as in: make build K8S=0.37
K8S ?= 0.33
on-base = base=$$(hack/base.sh $(K8S)) && export GOFLAGS="$$GOFLAGS $$base"

.PHONY: build
build: ## Build the server to bin/flowcontrol-apiserver
	@echo "build: bin/flowcontrol-apiserver"
	@$(on-base) && go build -pgo=auto -ldflags='-s -w' -o bin/flowcontrol-apiserver ./cmd/flowcontrol-apiserver

# The setting of the released plug-in.
PLUGIN_FLAGS := -trimpath -buildvcs=false -ldflags='-s -w -buildid='
# The largest size of the plug-in, in bytes: 60 MB.
PLUGIN_SIZE := 62914560

.PHONY: plugin
plugin: ## Build the kubectl plug-in to bin/kubectl-apf
	@echo "plugin: bin/kubectl-apf, and bin/kubectl_complete-apf, by which kubectl completes its words"
	@cd kubectl-apf && go build $(PLUGIN_FLAGS) -o $(CURDIR)/bin/kubectl-apf .
	@ln -sf kubectl-apf bin/kubectl_complete-apf
	@size=$$(wc -c <bin/kubectl-apf); [ "$$size" -le $(PLUGIN_SIZE) ] || { \
	  echo "plugin: bin/kubectl-apf has $$size bytes, and must have at most $(PLUGIN_SIZE): look for a large dependency" >&2; exit 1; }

# The release that archives and image name, as in: make release VERSION=0.2.0
VERSION ?=

.PHONY: release
release: ## Build what a release publishes, for all platforms, to dist/
	@[ -n '$(VERSION)' ] || { echo "release: name the release, as in: make release VERSION=0.2.0" >&2; exit 2; }
	@rm -rf dist
	@hack/release.sh '$(VERSION)'

.PHONY: chart
chart: ## Make what artifacts/ has of other files in it: the files of the Helm chart, and the PrometheusRule
	@echo "chart: artifacts/chart/files and artifacts/monitoring/prometheusrule.yaml"
	@hack/chart.sh

.PHONY: plugin-archives
plugin-archives: bin/krew bin/validate-krew-manifest ## Pack the plug-in for all platforms, with krew's manifest, to dist/
	@echo "plugin-archives: dist/"
	@rm -rf dist && hack/release.sh '$(or $(VERSION),0.1.0)' plugin
	@bin/validate-krew-manifest -manifest dist/apf.yaml -skip-install
	@root=$$(mktemp -d); trap 'rm -rf "$$root"' EXIT; KREW_ROOT=$$root bin/krew install --manifest=dist/apf.yaml \
	  --archive="dist/kubectl-apf_$$(go env GOOS)_$$(go env GOARCH).tar.gz" </dev/null && "$$root/bin/kubectl-apf" version

bin/actionlint:
	@GOBIN=$(CURDIR)/bin go install -buildvcs=false -ldflags='-s -w' github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

bin/krew bin/validate-krew-manifest:
	@GOBIN=$(CURDIR)/bin go install -buildvcs=false -ldflags='-s -w' sigs.k8s.io/krew/cmd/$(notdir $@)@v0.4.4

# As in: make image IMAGE=registry.example/flowcontrol-apiserver:dev
# PLATFORMS=linux/amd64,linux/arm64 builds for both, where the builder can.
IMAGE ?= ghcr.io/flowcontrol-apiserver/flowcontrol-apiserver:v0.1.0

.PHONY: image
image: ## Build the container image IMAGE, with docker, podman or buildah
	@K8S='$(K8S)' IMAGE='$(IMAGE)' BUILDER='$(BUILDER)' BUILD_IMAGE='$(BUILD_IMAGE)' RUN_IMAGE='$(RUN_IMAGE)' VERSION='$(VERSION)' PLATFORMS='$(PLATFORMS)' hack/image.sh

.PHONY: clean
clean: ## Remove built programs and test results; keep the data of `make run`
	@echo "clean: bin/, dist/ and .cache/"
	@rm -rf bin dist .cache

##@ Test

# Test events of each phase, outputs of processes, and tests that passed on retry.
RESULTS := .cache/test
RETRIED := $(RESULTS)/retried.txt

# LANE is "long-" in test-long, which sets the build tag long. -vet=off: the linter
# vets the code.
#
# In the short lane, where seeds are fixed, the go command takes the result of a unit test
# from its cache if the test, the files and the variables that it read are those of a run
# that passed. It does not know what a program that a test starts depends on: hence FRESH.
LANE ?=
FRESH := -count=1
LANE_FLAGS := $(TOOLS) -vet=off -ldflags='-s -w' $(if $(LANE),$(FRESH) -tags=long -timeout=3h,-timeout=30m)

# $(call run-tests,PHASE[,flags of gotestsum]) is the command that runs tests and
# writes their events; append flags of `go test`.
run-tests = mkdir -p $(CURDIR)/$(RESULTS) && $(CURDIR)/bin/gotestsum --format=pkgname --format-hide-empty-pkg --hide-summary=skipped \
  --jsonfile=$(CURDIR)/$(RESULTS)/$(LANE)$(1).json $(2) -- $(LANE_FLAGS)

# Two phases in parallel, since end-to-end tests mostly wait: the unit tests get the
# processors that the other phase leaves (nice). Both run even if one fails.
.PHONY: test
test: bin/gotestsum ## Run the tests that a change must pass (short lane)
	@rm -rf $(RESULTS)
	@status=0; $(MAKE) --keep-going --jobs=2 test-e2e test-units || status=$$?; \
	  $(MAKE) report || status=$$?; exit $$status

.PHONY: test-long
test-long: bin/gotestsum ## Run the long lane: full counts, new seeds, every guide and release (hours)
	@rm -rf $(RESULTS)
	@status=0; $(MAKE) --keep-going LANE=long- test-units test-e2e test-adoption vuln || status=$$?; \
	  $(MAKE) test-releases || status=$$?; \
	  $(MAKE) LANE=long- report || status=$$?; exit $$status

.PHONY: report
report: bin/gotestsum ## List what failed in the last test run, and what passed on retry
	@[ -n "$$(ls $(RESULTS)/*.json 2>/dev/null)" ] || { echo "report: there are no test events in $(RESULTS): run 'make test' first" >&2; exit 1; }
	@bin/gotestsum --raw-command --format=none --hide-summary=skipped,output -- cat $(RESULTS)/*.json
	@[ ! -s $(RETRIED) ] || awk '/ runs, / && $$(NF-3) > $$(NF-1) { print $$0 ": passed on retry, which is a defect to be mended at once" }' $(RETRIED)

# The phases that start no programs, one after the other: first the one whose packages
# nothing else compiles, while those of the programs are compiled.
#
# The race detector compiles all dependencies once more, and each test is linked with
# them. So `make test` runs under it those packages of the engine that several goroutines
# share, which need little of Kubernetes; `make test-long` runs every package. Tests of one
# goroutine that would take minutes are in files that it leaves out.
RACED := $(if $(LANE),./...,./clock ./engine ./estimate ./queueset ./total ./internal/guarded ./internal/heavyhitters ./internal/rejections ./internal/stats)

.PHONY: test-units
test-units:
	@status=0; for phase in test-race $(if $(LANE),test-race-others) test-plain test-parity; do nice -n 19 $(MAKE) $$phase || status=$$?; done; exit $$status

.PHONY: test-unit
test-unit: bin/gotestsum ## Run the unit tests, without the race detector
	@echo "test-unit: every package except the end-to-end tests"
	@$(on-base) && $(call run-tests,unit) $$(go list ./... $(ENGINE)/... | grep -vE '/test/(e2e|repo)')

.PHONY: test-plain
test-plain: bin/gotestsum
	@echo "test-plain: unit tests without the race detector"
	@status=0; \
	  $(call run-tests,unit) $$(go list ./cmd/... ./pkg/... $(ENGINE)/... | grep -v '/pkg/generated') || status=$$?; \
	  $(call run-tests,tools) $(FRESH) $$(go list ./hack/... ./test/... | grep -vE '/test/(e2e|repo)') || status=$$?; \
  (cd kubectl-apf && $(call run-tests,plugin) $$(go list ./... | grep -v '/e2e')) || status=$$?; \
  (cd hack/lab && $(call run-tests,lab) $(FRESH) $$(go list ./... | grep -vE '/(chaos|judges$(if $(LANE),|adoption))$$')) || status=$$?; \
	  exit $$status

.PHONY: test-race
test-race: bin/gotestsum ## Run unit tests of the engine under the race detector
	@echo "test-race: $(if $(LANE),the engine,what goroutines of the engine share) under the race detector"
	@command -v "$${CC:-cc}" >/dev/null || { echo "test-race: no C compiler found, which the race detector requires: install gcc or clang, or set CC" >&2; exit 1; }
	@export CGO_ENABLED=1; cd pkg/apf && $(call run-tests,race) -race $(RACED)

.PHONY: test-race-others
test-race-others: bin/gotestsum
	@echo "test-race-others: cmd, pkg and the plug-in under the race detector"
	@export CGO_ENABLED=1; status=0; $(call run-tests,race-others) -race ./cmd/... ./pkg/... || status=$$?; \
	  (cd kubectl-apf && $(call run-tests,race-plugin) -race $$(go list ./... | grep -v '/e2e')) || status=$$?; exit $$status

.PHONY: test-parity
test-parity: bin/gotestsum ## Compare with k8s.io/kubernetes
	@echo "test-parity: this project beside k8s.io/kubernetes"
	@cd test/parity && $(call run-tests,parity) ./...

# These, in hack/lab, check histories of random operations. They are never retried: a failure that
# passes on retry is one that they exist to find.
MODELS := ./chaos ./judges

# Two packages at a time, since each mostly waits. A failed test runs once more, alone,
# and `make report` names it.
.PHONY: test-e2e
test-e2e: binaries$(if $(LANE),-long) bin/gotestsum ## Run the end-to-end tests: real etcd, kube-apiserver, kubectl
	@echo "test-e2e: real processes, kube-apiserver beside this server and in front of it"
	@export BINARIES=prebuilt; status=0; \
	  $(call run-tests,e2e,--rerun-fails=1 --rerun-fails-report=$(CURDIR)/$(RETRIED) --rerun-fails-run-root-test --packages=./test/e2e/...) $(FRESH) -p=2 || status=$$?; \
  (cd kubectl-apf && $(call run-tests,e2e-plugin,--rerun-fails=1 --rerun-fails-report=$(CURDIR)/.cache/test/retried-plugin.txt --rerun-fails-run-root-test --packages=./e2e/...) $(FRESH) -p=2) || status=$$?; \
  (cd hack/lab && $(call run-tests,model) $(FRESH) -p=2 $(MODELS)) || status=$$?; \
	  exit $$status

# On a later release of k8s.io these compare this server with kube-apiserver of the same release, with
# the counts of the short lane.
BESIDE := ./test/e2e/api
RELEASES ?= 0.36 0.37

.PHONY: test-releases
test-releases: binaries-long bin/gotestsum ## Compare the server on later releases of k8s.io with kube-apiserver of the same release
	@export BINARIES=prebuilt; status=0; for release in $(RELEASES); do export K8S=$$release; \
	  echo "test-releases: this server on k8s.io $$release beside kube-apiserver of the same release"; \
	  $(call run-tests,release-$$release) $(FRESH) -p=1 $(BESIDE) || status=$$?; \
	  (cd hack/lab && $(call run-tests,model-$$release) $(FRESH) ./chaos) || status=$$?; \
	  done; exit $$status

# One run of hack/lab/chaos, as in: make chaos SEED=7 FAULTS=50
FAULTS ?= 22
CHAOS = cd hack/lab && go test -tags=long -count=1 -timeout=4h ./chaos -run '^TestChaos$$' -v -faults=$(1) -operations=$(2)

.PHONY: chaos
chaos: ## Break servers, etcd and their network under load, and check every answer (four minutes)
	@echo "chaos: three servers on three members of etcd, $(FAULTS) faults; one server with its embedded etcd, half as many"
	@$(call CHAOS,$(FAULTS),0)

.PHONY: chaos-long
chaos-long: ## The same with 200 faults and 100,000 operations; write docs/evidence/reliability.md (minutes)
	@echo "chaos-long: three servers on three members of etcd, 200 faults, 100,000 acknowledged operations"
	@$(call CHAOS,200,100000) -update-reliability

.PHONY: track-record
track-record: ## Reproduce public reports of overload on both engines; write docs/evidence/track-record.md (seconds)
	@echo "track-record: public reports, on the engine of k8s.io/apiserver and on this one"
	@cd hack/lab && go test -count=1 ./trackrecord -run '^TestTrackRecord$$' -v -update-track-record

.PHONY: upstream
upstream: ## Apply the fixes of test/upstream to k8s.io/apiserver, and test them there (minutes)
	@echo "upstream: fixes for k8s.io/apiserver 0.33 and 0.37, with the tests that fail without them"
	@go test -tags=long -count=1 -timeout=1h ./test/upstream -run '^TestFixes$$' -v

.PHONY: models
models: ## Check models of shared reads and of locks with spin (half a minute)
	@test/models/check.sh

.PHONY: judge-http
judge-http: ## Let slowhttptest and testssl.sh judge the server beside kube-apiserver (ten minutes)
	@echo "judge-http: this server and kube-apiserver; the rows of docs/evidence/judges.md are written by hand from what this prints"
	@cd hack/lab && go test -tags=long -count=1 -timeout=1h ./judges -run '^TestHTTPJudges$$' -v

.PHONY: hostile
hostile: ## Attack a server, and check what it does meanwhile and afterwards (ten minutes)
	@echo "hostile: attacks on this server"
	@cd hack/lab && go test -tags=long -count=1 -timeout=1h ./judges -run '^TestHostileClients$$' -v -large

# How long each fuzz target runs, where, how many at once, and how many inputs of each that
# cover more code are copied to testdata/fuzz, as in:
# make fuzz FUZZTIME=1m FOLDERS=kubectl-apf/suite JOBS=2 KEEP=16
FUZZTIME ?= 10m
FOLDERS ?=
JOBS ?= 1
KEEP ?= 0

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME, JOBS at once (hours)
	@JOBS='$(JOBS)' KEEP='$(KEEP)' hack/fuzz.sh $(FUZZTIME) $(FOLDERS)

# Tools of hack/tools/checks, each a file of bin/. Vale needs C.
CHECKS := $(addprefix bin/,apidiff golangci-lint gotestsum govulncheck vale)
bin/apidiff: PACKAGE := golang.org/x/exp/cmd/apidiff
bin/golangci-lint: PACKAGE := github.com/golangci/golangci-lint/v2/cmd/golangci-lint
bin/gotestsum: PACKAGE := gotest.tools/gotestsum
bin/govulncheck: PACKAGE := golang.org/x/vuln/cmd/govulncheck
bin/vale: PACKAGE := github.com/vale-cli/vale/v3/cmd/vale
bin/vale: export CGO_ENABLED := 1
$(CHECKS): hack/tools/checks/go.mod hack/tools/checks/go.sum
	@echo "building $@ (up to a minute the first time)"
	@cd hack/tools/checks && go build $(TOOLS) -buildvcs=false -ldflags='-s -w' -o $(CURDIR)/$@ $(PACKAGE)
	@touch $@

# test-e2e includes this comparison and checks docs/evidence/conformance.md. With K8S=0.37 the
# server is built on 0.37, and its peer is kube-apiserver 1.37.
.PHONY: conformance
conformance: binaries ## Compare the API with kube-apiserver's; write docs/evidence/conformance.md
	@echo "conformance: this server beside kube-apiserver, sentence by sentence"
	@go test -count=1 -timeout=10m ./test/e2e/api -update-conformance

# Releases of k8s.io on which pkg/apf is tested, in addition to that of its go.mod.
ADOPTION ?= 0.34.13 0.35.10 0.36.6 0.37.2

.PHONY: test-adoption
test-adoption: bin/gotestsum ## Test pkg/apf in servers built on later releases of k8s.io (long lane)
	@status=0; for release in $(ADOPTION); do \
	  echo "test-adoption: pkg/apf on k8s.io/apiserver $$release"; \
	  { modfile=$$(test/adoption/modfile.sh $$release) && \
	    (cd pkg/apf && $(call run-tests,adoption-$$release) -mod=mod -modfile=$$modfile ./...); } || \
	    { status=1; echo "  repeat: make test-adoption ADOPTION=$$release" >&2; }; done; \
	echo "test-adoption: pkg/apf in servers of other projects"; \
	(cd hack/lab && $(call run-tests,adoption-servers) $(FRESH) -tags=long ./adoption) || status=$$?; exit $$status

# Servers of other projects, modules below test/adoption. As in: make adoption SERVER=keda
SERVER ?= metrics-server custom-metrics keda sample-apiserver kueue apiextensions

.PHONY: adoption
adoption: adoption-programs ## Measure servers of other projects with pkg/apf; write docs/evidence/adoption.md (eight minutes each)
	@status=0; for server in $(SERVER); do echo "adoption: $$server, alone and beside an elephant (eight minutes)"; \
	  (cd hack/lab && go run ./adoption -server=$$server) || status=$$?; done; exit $$status

.PHONY: adoption-programs
adoption-programs: ## Build the programs that `make adoption` runs
	@for server in $(SERVER); do echo "adoption-programs: $$server (minutes the first time)"; (cd hack/lab && go run ./adoption -build -server=$$server); done

.PHONY: binaries
binaries: ## Build the programs that `make test` runs
	@echo "binaries: the server, the plug-in, etcd and the Kubernetes programs (minutes the first time)"
	@go run ./test/binaries/build

.PHONY: binaries-long
binaries-long: ## Build the programs that `make test-long` runs
	@echo "binaries-long: also kube-apiserver 1.36 and 1.37, the server on k8s.io 0.36 and 0.37, an earlier one, Prometheus, promtool, Helm, a registry, cosign and kubectl 1.37 (minutes the first time)"
	@go run ./test/binaries/build -long

.PHONY: bench
bench: ## Measure engine and server beside their peers; write docs/evidence/benchmarks.md
	@echo "bench: the engine, the server and the limiter, each beside its peers (some minutes each)"
	@cd hack/lab && go run ./bench

.PHONY: storms
storms: ## Let greedy flows storm a level on both engines; write docs/evidence/benchmarks.md (minutes)
	@echo "storms: the engine of k8s.io/apiserver and this one, under storms of greedy flows (minutes)"
	@cd hack/lab && go test -count=1 -timeout=20m ./exam -run '^TestStorms$$' -v -update-storms

.PHONY: lag
lag: ## Let the watch cache lag behind etcd, here and in kube-apiserver; write docs/evidence/reliability.md (four minutes)
	@echo "lag: watches that report nothing, and a slow etcd, under lists of 10,000 FlowSchemas (four minutes)"
	@cd hack/lab && go test -tags=long -count=1 -timeout=1h ./chaos -run '^TestLag$$' -v -update-lag

# Run it after large changes of request handling, Go or the libraries. An old profile
# does no harm, but helps less.
.PHONY: profile
profile: ## Record the profile that the compiler uses (PGO)
	@echo "profile: this server under large lists, watches and writes (some minutes)"
	@cd hack/lab && go run ./bench --profile=$(CURDIR)/cmd/flowcontrol-apiserver/default.pgo

##@ Check

.PHONY: verify
verify: verify-tidy verify-format verify-lint verify-workflows verify-prose verify-codegen verify-base verify-api verify-repo ## Run all checks

.PHONY: fix
fix: update-tidy update-codegen update-format update-lint ## Fix what can be fixed automatically

.PHONY: generate
generate: update-codegen ## Generate code

.PHONY: lint
lint: verify-lint ## Run the linter

.PHONY: verify-tidy
verify-tidy: ## Check go.mod and go.sum of every module
	@echo "verify-tidy: go.mod and go.sum of every module"
	@for module in $(MODULES); do (cd $$module && go mod tidy -diff) || \
	  { echo "$$module/go.mod is not tidy: run 'make update-tidy'" >&2; exit 1; }; done

.PHONY: update-tidy
update-tidy: ## Tidy every go.mod
	@for module in $(MODULES); do echo "update-tidy: $$module"; (cd $$module && go mod tidy); done

# git also lists deleted files that are not yet committed.
GOFMT = git ls-files -z --cached --others --exclude-standard '*.go' | while IFS= read -r -d '' file; do \
  if [ -f "$$file" ]; then printf '%s\0' "$$file"; fi; done | xargs -0 gofmt

.PHONY: verify-format
verify-format: ## Check formatting with gofmt
	@echo "verify-format: gofmt"
	@badly=$$($(GOFMT) -l); if [ -n "$$badly" ]; then \
	  printf '%s\n' "$$badly" "These files are not formatted: run 'make update-format'" >&2; exit 1; fi

.PHONY: update-format
update-format: ## Format every Go file
	@echo "update-format: gofmt"
	@$(GOFMT) -w

.PHONY: verify-lint
verify-lint: bin/golangci-lint ## Run golangci-lint
	@for module in $(CODE_MODULES); do echo "verify-lint: $$module"; (cd $$module && $(LINT) ./...) || \
	  { echo "golangci-lint has findings: 'make update-lint' fixes some, fix the others by hand" >&2; exit 1; }; done

.PHONY: update-lint
update-lint: bin/golangci-lint ## Fix what golangci-lint can fix
	@for module in $(CODE_MODULES); do echo "update-lint: $$module"; (cd $$module && $(LINT) --fix ./...); done

# Not in hack/tools/checks: its YAML library is older than that module's.
.PHONY: verify-workflows
verify-workflows: bin/actionlint ## Check the workflows with actionlint
	@echo "verify-workflows: actionlint"
	@bin/actionlint

VALE = bin/vale --config=hack/vale/vale.ini --output=line

.PHONY: verify-prose
verify-prose: bin/vale ## Check the prose of the documents and of comments in Go
	@echo "verify-prose: words, and sentences of users' pages"
	@status=0; $(VALE) docs README.md ARCHITECTURE.md CONTRIBUTING.md SECURITY.md MAINTAINERS.md CODE_OF_CONDUCT.md \
	    test/upstream/README.md artifacts/chart/README.md || status=1; \
	  $(VALE) --glob='*.go' cmd hack kubectl-apf pkg test || status=1; \
	  [ $$status = 0 ] || { echo "say the sentences above in the words of CONTRIBUTING.md, Words" >&2; exit 1; }

.PHONY: vuln
vuln: bin/govulncheck ## Look for known vulnerabilities in what is shipped (long lane, some minutes)
	@hack/vuln.sh

release: vuln

.PHONY: verify-api
verify-api: ## Compare the API of pkg/apf with its last release
	@hack/apidiff.sh

.PHONY: verify-codegen
verify-codegen: ## Check that the generated code is current
	@echo "verify-codegen: generated code"
	@hack/verify-codegen.sh || { echo "run 'make update-codegen' and commit its changes" >&2; exit 1; }

# 12 s when nothing has changed, and 3 min in a fresh clone, where the base is made first: 5 s and
# 70 s of processor time, on two processors with a load of 21. With nothing of that release in the
# build cache, 18 min of processor time.
.PHONY: verify-base
verify-base: K8S := 0.37
verify-base: ## Compile all packages and their tests on a later release of k8s.io
	@echo "verify-base: packages and their tests on k8s.io $(K8S)"
	@$(on-base) && go vet $(TOOLS) ./cmd/... ./pkg/... || { echo "what the messages name differs in k8s.io $(K8S): see docs/design/base.md" >&2; exit 1; }

.PHONY: update-codegen
update-codegen: ## Generate code
	@echo "update-codegen: deepcopy, conversions, defaults, OpenAPI, client"
	@hack/update-codegen.sh

.PHONY: update-docs
update-docs: binaries ## Update outputs, flags, filters and conformance in the documents
	@echo "update-docs: README.md, ARCHITECTURE.md and docs/"
	@go test -count=1 ./pkg/server -run=TestArchitecture -update-docs
	@go test -count=1 ./cmd/flowcontrol-apiserver/app -run=TestFlagsDocument -update-docs
	@cd kubectl-apf && go test -count=1 ./explain -run=TestSeatsDocument -update-docs
	@go test -tags=long -count=1 -p=1 -run='Tour|Guide' ./test/e2e/alone ./test/e2e/plugin ./test/e2e/artifacts -update-docs
	@go test -tags=long -count=1 -timeout=1h ./test/e2e/behind -run=TestSkew -update-docs
	@$(MAKE) conformance

.PHONY: verify-repo
verify-repo: ## Check imports, signatures, modules, documents, machine paths
	@echo "verify-repo: imports, signatures, modules, documents, machine paths"
	@go test -count=1 ./test/repo/... || { echo "fix what the messages above name" >&2; exit 1; }
