#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Feeds the codec and the WebSocket's readers with inputs that libFuzzer makes up, guided by the code they reach, under
# the address sanitizer, with invariants between them: fuzz.sh [codec] [websocket]
# codec: the parser, the envelope scan, the values, the coders and the streaming. websocket: frames, masked and not,
# compressed and not, and the heads of both opening handshakes, cut into pieces.
#
# FUZZ_SECONDS says for how long, all together: 600 unless told otherwise. What was found interesting stays in
# .build/fuzz/ for the next run; an input that breaks something is written there, too, and belongs into the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- codec websocket
seconds=$((${FUZZ_SECONDS:-600} / $#))
folder=.build/fuzz
mkdir -p "$folder"

# The linker warns about names of the sanitizer's which it does not export; nothing needs them.
build_codec() {
    mapfile -d '' sources < <(find Sources/WireJSON Tests/Fuzzing -path Tests/Fuzzing/WebSocket -prune -o \
        -name '*.swift' -print0 | sort -z)
    swiftc -O -sanitize=fuzzer,address -parse-as-library -module-name WireJSON -package-name swift-jsonrpc \
        -swift-version 6 -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility \
        -enable-upcoming-feature NonisolatedNonsendingByDefault "${sources[@]}" -o "$folder/codec-fuzzer"
}

# The module depends on packages, so the package manager builds it; the fuzzer is linked with its objects.
build_websocket() {
    local package="$folder/package"
    JSONRPC_TEST_TARGETS=WebSocket swift build -c release --target WebSocket --scratch-path "$package" \
        -Xswiftc -sanitize=fuzzer,address -Xswiftc -enable-testing
    # shellcheck disable=SC2046
    swiftc -O -sanitize=fuzzer,address -parse-as-library -module-name WebSocketFuzzer -swift-version 6 \
        -I "$package/release/Modules" -I Sources/CLibwebsockets $(pkg-config --cflags --libs libwebsockets) \
        Tests/Fuzzing/WebSocket/*.swift "$package"/release/*.build/*.o -o "$folder/websocket-fuzzer"
}

# run NAME SEEDS DICTIONARY
run() {
    "build_$1" >"$folder/$1.log" 2>&1 || { cat "$folder/$1.log" >&2; exit 1; }
    echo "fuzz: $1, $seconds s under the address sanitizer" >&2
    mkdir -p "$folder/corpus-$1"
    ASAN_OPTIONS=detect_leaks=0 "$folder/$1-fuzzer" -max_total_time="$seconds" -max_len=4096 -timeout=60 \
        -rss_limit_mb=2048 -dict="$3" -artifact_prefix="$folder/$1-" -print_final_stats=1 "$folder/corpus-$1" "$2"
}

for name in "$@"; do
    case "$name" in
    codec) run codec Tests/Fuzzing/Seeds Tests/Fuzzing/json.dict ;;
    websocket) run websocket Tests/Fuzzing/WebSocket/Seeds Tests/Fuzzing/WebSocket/websocket.dict ;;
    *)
        echo "usage: $0 [codec] [websocket]" >&2
        exit 2
        ;;
    esac
done
