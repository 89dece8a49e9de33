# berth: build, run, test. 'make run' and 'make test' are all a newcomer needs.

GO ?= go

.PHONY: build run test lint solver bench fuzz golden man clean

build:
	$(GO) build -o bin/berth ./cmd/berth

run: build
	bin/berth paper --only scenarios

test: lint solver
	$(GO) test ./...

# The exact solver of full mode, from the npm package highs. Without npm, the
# tests of exactness skip and say so.
solver:
	@if command -v npm >/dev/null; then $(GO) run ./policies/milp/highs/fetch; \
	else echo "npm is not there: full mode is not tested"; fi

lint:
	@unformatted=$$(gofmt -l cmd plots policies sim traces workloads); \
	if [ -n "$$unformatted" ]; then echo "not formatted (gofmt -w):"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

FUZZTIME ?= 30s
fuzz:
	@for p in $$($(GO) list ./...); do \
		for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
			$(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p || exit 1; \
		done; \
	done

golden:
	$(GO) test ./plots ./cmd/berth -update

# Manual pages; 'MANPATH=out/man: man berth' reads them.
man: build
	bin/berth man -o out/man/man1

clean:
	rm -rf bin out
