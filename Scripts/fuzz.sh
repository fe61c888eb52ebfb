#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Feeds the codec with texts that libFuzzer makes up, guided by the code they reach, under the address sanitizer: the
# parser, the envelope scan, the values, the coders and the streaming, with invariants between them. FUZZ_SECONDS says
# for how long: 600 unless told otherwise. What was found interesting stays in .build/fuzz/corpus for the next run; a
# text that breaks something is written to .build/fuzz/ and belongs into the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${FUZZ_SECONDS:-600}"

folder=.build/fuzz
mkdir -p "$folder/corpus"
mapfile -d '' sources < <(find Sources/WireJSON Tests/Fuzzing -name '*.swift' -print0 | sort -z)
# The linker warns about names of the sanitizer's which it does not export; nothing needs them.
swiftc -O -sanitize=fuzzer,address -parse-as-library -module-name WireJSON -package-name swift-jsonrpc -swift-version 6 \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility \
    -enable-upcoming-feature NonisolatedNonsendingByDefault \
    "${sources[@]}" -o "$folder/wirejson-fuzzer" 2>"$folder/build.log" || { cat "$folder/build.log" >&2; exit 1; }

echo "fuzz: $seconds s under the address sanitizer" >&2
ASAN_OPTIONS=detect_leaks=0 "$folder/wirejson-fuzzer" -max_total_time="$seconds" -max_len=4096 -timeout=60 \
    -rss_limit_mb=2048 -dict=Tests/Fuzzing/json.dict -artifact_prefix="$folder/" -print_final_stats=1 \
    "$folder/corpus" Tests/Fuzzing/Seeds
