#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Checks that need no build. All of them run; the script fails when one of them does.
set -euo pipefail
cd "$(dirname "$0")/.."

failures=0
complain() {
    failures=$((failures + 1))
    echo "lint: $1" >&2
}
# Prints what the given command finds as a complaint. `grep` finding nothing is the good case; its own failure is not.
forbid() {
    local why="$1" status=0 found
    shift
    found="$("$@")" || status=$?
    [ "$status" -le 1 ] || { complain "'$*' could not run"; return; }
    [ -z "$found" ] || complain "$why:"$'\n'"$found"
}

mapfile -d '' swift_files < <(find Package.swift Sources Tests Snippets Examples Benchmarks -name .build -prune -o \
    -name '*.swift' -print0 2>/dev/null | sort -z)
mapfile -d '' shell_files < <(find Scripts Benchmarks -name .build -prune -o -name '*.sh' -print0 | sort -z)
shell_files+=(.ci/run)
[ "${#swift_files[@]}" -gt 10 ] || complain "only ${#swift_files[@]} Swift files found: is this the package's root?"

echo "lint: format" >&2
swift format lint --strict --parallel "${swift_files[@]}" || complain "swift format: run 'swift format -i -r Package.swift Sources Tests Snippets Examples Benchmarks'"

echo "lint: imports" >&2
Scripts/check-imports.sh || complain "imports that the module map does not allow"

echo "lint: samples" >&2
Scripts/check-samples.py || complain "code samples that no build compiles"
Scripts/check-origins.py || complain "tests in Development/Origins.md that do not exist"
Scripts/draw-pictures.py --check || complain "pictures that are not up to date"
Scripts/bench-report.py --check || complain "tables or charts of results that are not up to date"

echo "lint: sizes and headers" >&2
for file in "${swift_files[@]}"; do
    lines="$(wc -l <"$file")"
    [ "$lines" -le 500 ] || complain "$file has $lines lines; the limit is 500"
    # The manifest begins with the tools version.
    head -n 2 "$file" | grep -q '^// swift-jsonrpc · SPDX-License-Identifier: MIT$' || complain "$file has no header line"
done

echo "lint: README" >&2
words="$(wc -w <README.md)"
[ "$words" -le 900 ] || complain "README.md has $words words; the limit is 900"
# Links to files, and to headings of Markdown files.
while IFS='#' read -r file heading; do
    [ -e "$file" ] || { complain "README.md links to $file, which does not exist"; continue; }
    [ -z "$heading" ] || sed -nE 's/^#+ (.*)/\1/p' "$file" | tr '[:upper:] ' '[:lower:]-' | tr -d ':' | grep -qx "$heading" ||
        complain "README.md links to #$heading in $file, which has no such heading"
done < <(grep -oE '\]\([^)]+\)' README.md | sed -E 's/^\]\(|\)$//g' | grep -v '://')

echo "lint: .spi.yml" >&2
catalogues="$(find Sources -name '*.docc' -printf '%f\n' | sed 's/\.docc$//' | sort)"
[ "$catalogues" = "$(sed -nE 's/^ +- ([A-Za-z]+)$/\1/p' .spi.yml | sort)" ] ||
    complain ".spi.yml does not list the targets with a documentation catalogue"

echo "lint: unsafe marks" >&2
# A mark needs a sentence that states its invariant, on its own line or in the comment just above.
unexplained="$(awk '
    FNR == 1 { comment = 0 }
    {
        code = $0; sub(/\/\/.*/, "", code)
        marked = code ~ /@unchecked Sendable|nonisolated\(unsafe\)|Unmanaged[.<]/
        explained = $0 ~ /\/\/ ?[A-Z]/ || comment > 0
        if (marked && !explained) print FILENAME ":" FNR ": " $0
        if ($0 ~ /^[ \t]*\/\//) comment = 4
        else if (comment > 0) comment--
    }' "${swift_files[@]}")"
[ -z "$unexplained" ] || complain "unsafe marks without a sentence beside them:"$'\n'"$unexplained"
for mark in '@unchecked Sendable' 'nonisolated(unsafe)' 'Unmanaged'; do
    count="$(grep -rhF -- "$mark" Sources | grep -cv '^ *//' || true)"
    echo "lint:   $mark: $count in Sources" >&2
done
forbid "a trap that a peer might reach" \
    grep -rnE '\btry!|\bfatalError\(|\bas! ' Sources --include=*.swift
forbid "unsafeFlags bars the package from being a dependency" grep -nE 'unsafeFlags\(' Package.swift

echo "lint: tests" >&2
forbid "tests wait on events, never on time" \
    grep -rnE '\bTask\.sleep|\busleep\(|\bnanosleep\(|[^.[:alnum:]]sleep\([0-9]|Thread\.sleep' Tests --include=*.swift
forbid "tests are not skipped, retried or excused" \
    grep -rnE 'withKnownIssue|\.disabled\(|\.enabled\(if|import XCTest' Tests --include=*.swift
idle="$(
    { grep -rnE '@Suite' Tests --include=*.swift | grep -v '\.inTurn'; } || true
    { grep -rlE '^ *@Test' Tests --include=*.swift | xargs grep -L '\.inTurn'; } || true
)"
[ -z "$idle" ] || complain "suites that do not take turns (Tests/Support/TestTurns):"$'\n'"$idle"
blocking="$(
    { grep -rlE '^[^/]*processExitsWith:' Tests --include=*.swift | xargs grep -LE '\.(startsProcess|inTurnWithProcess)'; } || true
)"
[ -z "$blocking" ] || complain "processes that block the threads of all tests (Tests/Support/TestTurns/ProcessTrait.swift):"$'\n'"$blocking"

echo "lint: shell scripts" >&2
for file in "${shell_files[@]}"; do
    bash -n "$file" || complain "$file does not parse"
    # A plain sh has no pipefail.
    if head -n 1 "$file" | grep -q bash; then strict='set -euo pipefail'; else strict='set -eu'; fi
    grep -qx "$strict" "$file" || complain "$file lacks '$strict'"
done
if command -v shellcheck >/dev/null; then
    shellcheck --severity=warning "${shell_files[@]}" || complain "shellcheck"
else
    echo "lint:   no shellcheck here, so only the syntax was checked" >&2
fi

if [ "$failures" -gt 0 ]; then
    echo "lint: $failures complaint(s)" >&2
    exit 1
fi
echo "lint: ${#swift_files[@]} Swift files, ${#shell_files[@]} shell scripts, no complaint" >&2
