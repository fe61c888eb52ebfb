#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Runs libFuzzer on the codec, on generated coding and on the WebSocket's readers, under the address sanitizer, and checks
# invariants between the readers: fuzz.sh [codec] [generated] [websocket]
# codec: the parser, the envelope scan, the values, the coders and the streaming. generated: what the macro writes, beside
# `Codable`. websocket: frames, masked and not, compressed and not, and the heads of both opening handshakes, cut into
# pieces.
#
# FUZZ_SECONDS is the time for all fuzzers together. The default is 600 seconds. Inputs that reach new code stay in
# .build/fuzz/ for the next run. An input that breaks something is written there too, and belongs in the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/build-options.sh
[ $# -gt 0 ] || set -- codec generated websocket
seconds=$((${FUZZ_SECONDS:-600} / $#))
folder=.build/fuzz
mkdir -p "$folder"

# build NAME MODULE OPTIONS... -- SOURCES...
# The package manager builds the module and the modules below it, for all fuzzers in one folder. The fuzzer is linked with
# the objects of these modules. The linker warns about names of the sanitizer that the fuzzer does not export. Nothing
# needs them.
build() {
    local name="$1" module="$2" package="$folder/package" options=() objects=()
    shift 2
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    JSONRPC_TEST_TARGETS="JSONRPCCore WebSocket" swift build -c release --target "$module" --scratch-path "$package" \
        -Xswiftc -sanitize=fuzzer,address -Xswiftc -enable-testing
    # Objects of sources that are gone, or in another module now, stay there, and would be linked too.
    local sources object
    for sources in Sources/*/*/; do
        for object in "$package/release/$(basename "$sources").build"/*.swift.o; do
            [ -n "$(find "$sources" -name "$(basename "$object" .o)" -print -quit)" ] || rm -f "$object"
        done
    done
    case "$module" in
    WireJSON) objects=("$package"/release/WireJSON.build/*.o) ;;
    JSONRPCCore) objects=("$package"/release/{WireJSON,JSONRPCCore}.build/*.o) ;;
    WebSocket) objects=("$package"/release/{WebSocket,Sockets,HTTPSyntax,MessageTransport,TaskWaits,Logging}.build/*.o) ;;
    esac
    swiftc -O -sanitize=fuzzer,address -parse-as-library -module-name Fuzzer -swift-version 6 \
        -enable-upcoming-feature ExistentialAny -I "$package/release/Modules" "${options[@]}" \
        "$@" "${objects[@]}" -o "$folder/$name-fuzzer"
}

build_codec() {
    build codec JSONRPCCore -- Tests/Fuzzing/*.swift
}

# The plugin runs in the compiler, so it is built as ever.
build_generated() {
    swift build --target WireJSONMacros "${build_options[@]}"
    local plugin
    plugin="$(swift build --show-bin-path)/JSONMacrosPlugin-tool#JSONMacrosPlugin"
    swift build --target WireJSON "${build_options[@]}"
    # Only the declarations of the macros are needed.
    mkdir -p "$folder/macros"
    swiftc -emit-module -parse-as-library -module-name WireJSONMacros -swift-version 6 \
        -I "$(swift build --show-bin-path)/Modules" Sources/JSON/WireJSONMacros/*.swift -o "$folder/macros/WireJSONMacros.swiftmodule"
    build generated WireJSON -I "$folder/macros" -load-plugin-executable "$plugin" -- \
        Tests/Fuzzing/Generated/*.swift Tests/JSON/WireJSONMacrosTests/Shapes.swift
}

build_websocket() {
    # shellcheck disable=SC2046
    build websocket WebSocket -I Sources/C/CLibwebsockets $(pkg-config --cflags --libs libwebsockets) -- \
        Tests/Fuzzing/WebSocket/*.swift
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
    generated) run generated Tests/Fuzzing/Generated/Seeds Tests/Fuzzing/json.dict ;;
    websocket) run websocket Tests/Fuzzing/WebSocket/Seeds Tests/Fuzzing/WebSocket/websocket.dict ;;
    *)
        echo "usage: $0 [codec] [generated] [websocket]" >&2
        exit 2
        ;;
    esac
done
