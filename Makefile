# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Every target calls one script in Scripts/, which can also be run by itself.

PREFIX ?= /usr/local

.PHONY: help demo test test-long test-debian13 test-lws-options test-autobahn soak tsan asan fuzz bench bench-codec bench-http bench-jsonapi bench-streaming bench-grpc bench-report docs docs-preview lint prove-sanitizers install deb test-deb

help:
	@echo 'make demo              install what is missing, build, show a duplex session'
	@echo 'make test              install what the tests need, run every test'
	@echo 'make tsan              tests of the session, of WebSocket and of both HTTP layers under the thread sanitizer'
	@echo 'make asan              tests of WebSocket, WireJSON and JSONAPI under the address sanitizer'
	@echo 'make prove-sanitizers  show that both of the above fail when there is something to find'
	@echo 'make fuzz              feed the codec, generated coding, frames and handshakes with inputs that libFuzzer generates, for FUZZ_SECONDS (600)'
	@echo 'make test-long         tests that take longer than five minutes'
	@echo 'make test-debian13     build and test in a chroot of Debian 13; needs root'
	@echo 'make test-lws-options  build against libwebsockets without extensions, show a duplex session'
	@echo 'make test-autobahn     the Autobahn testsuite against an echo client of each engine; needs Python 2.7'
	@echo 'make soak              10 000 sessions over ws and 1000 over wss leave nothing behind; a client that reconnects for SOAK_SECONDS (600) does not grow; each with both engines'
	@echo 'make bench             a session with each engine beside clients in C and for Node, against a server in C'
	@echo 'make bench-codec       the codec beside Foundation'"'"'s, as a table'
	@echo 'make bench-http        the HTTP layer beside async-http-client, fetch and httpx (QUICK=quick: in a minute)'
	@echo 'make bench-jsonapi     compound documents of JSON:API beside JSONDecoder and JSONSerialization, as a table'
	@echo 'make bench-streaming   notifications beside a consumer for Node, round trips beside a load, memory of idle things'
	@echo 'make bench-grpc        calls, streams and large messages beside grpc-swift-2 over its NIO transport'
	@echo 'make bench-report      write the tables of Benchmarks/Results.md and draw its charts from the JSON of the runs'
	@echo 'make install           build the tool for machines without Swift, install it below PREFIX (/usr/local) of DESTDIR'
	@echo 'make deb               build a Debian package of the tool'
	@echo 'make test-deb          install that package into chroots of Debian 12 and 13 and use the tool there; needs root'
	@echo 'make docs              build the documentation of every library with DocC, as one archive'
	@echo 'make docs-preview      build the documentation and show it at an address on this machine'
	@echo 'make lint              format, imports, file sizes, unsafe marks, shell scripts'

demo:
	@Scripts/demo.sh

test:
	@Scripts/test.sh

test-long:
	@Scripts/test-long.sh

test-debian13:
	@Scripts/other-debian.sh trixie all

test-lws-options:
	@Scripts/lws-without-extensions.sh

test-autobahn:
	@Scripts/test-autobahn.sh

soak:
	@Scripts/soak.sh

tsan:
	@Scripts/sanitize.sh thread

asan:
	@Scripts/sanitize.sh address

prove-sanitizers:
	@Scripts/prove-sanitizers.sh

fuzz:
	@Scripts/fuzz.sh

bench:
	@Scripts/bench-session.sh

bench-codec:
	@Scripts/bench-codec.sh

bench-http:
	@Scripts/bench-http.sh $(QUICK)

bench-jsonapi:
	@Scripts/bench-jsonapi.sh

bench-streaming:
	@Scripts/bench-streaming.sh

bench-grpc:
	@Scripts/bench-grpc.sh

bench-report:
	@Scripts/bench-report.py

install:
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' Scripts/install.sh

deb:
	@Scripts/deb.sh

test-deb:
	@Scripts/test-deb.sh

docs:
	@Scripts/docs.sh

docs-preview:
	@Scripts/docs.sh --preview

lint:
	@Scripts/lint.sh
