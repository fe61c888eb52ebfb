// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// Scripts as text.
extension ScriptedPeer {
    /// Plays a script in the notation of the examples in the JSON-RPC specification.
    ///
    /// ```
    /// # A line for each message. This peer is the server.
    /// --> {"jsonrpc":"2.0","id":"$a","method":"subtract","params":[42,23]}
    /// <-- {"jsonrpc":"2.0","id":"$a","result":19}
    /// close 1000 done
    /// ```
    ///
    /// - `-->` expects a message that is equal as JSON. The order of members does not matter.
    /// - `<--` sends the rest of the line. It does not have to be JSON.
    /// - `close CODE REASON` closes the connection. `drop` ends it without a handshake.
    /// - Empty lines and lines that begin with `#` are ignored.
    ///
    /// A string `"$name"` on a `-->` line matches any value and stores it under the name. On later `-->` lines,
    /// `"$name"` matches only the stored value. On `<--` lines, it is replaced with the stored value. `"$_"` matches
    /// any value and stores nothing.
    ///
    /// - Parameters:
    ///   - script: The script.
    ///   - fileID: The module and file of the call.
    ///   - filePath: The path of the file of the call.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Throws: ``ScriptFailure`` with the number of the script's line, or `CancellationError`.
    public func play(
        _ script: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) async throws {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        var bindings: [String: JSONValue] = [:]
        let lines = script.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = line.drop { $0 == " " || $0 == "\t" }
            let number = index + 1
            if text.isEmpty || text.hasPrefix("#") { continue }
            if text.hasPrefix("-->") {
                try await expect(text.dropFirst(3), place, number, &bindings)
            } else if text.hasPrefix("<--") {
                let message = text.dropFirst(3).drop { $0 == " " }
                do {
                    try send(Self.filled(String(message), bindings))
                } catch var failure as ScriptFailure {
                    failure.location = place
                    failure.scriptLine = number
                    throw failure
                }
            } else {
                try perform(String(text), place, number)
            }
        }
    }

    private func expect(
        _ text: Substring, _ place: ScriptFailure.Location, _ line: Int, _ bindings: inout [String: JSONValue]
    ) async throws {
        let pattern: JSONValue
        do {
            pattern = try JSONValue(parsing: String(text))
        } catch {
            throw ScriptFailure(
                expected: "JSON after -->", instead: "the text is not JSON: \(error)", at: place, scriptLine: line)
        }
        let known = bindings
        bindings = try await expect("\(pattern)", at: place, scriptLine: line) { message in
            var trial = known
            guard let json = message.json, Self.match(pattern, json, &trial) else { return nil }
            return trial
        }
    }

    private func perform(_ text: String, _ place: ScriptFailure.Location, _ line: Int) throws {
        let words = text.split(separator: " ", maxSplits: 2).map(String.init)
        if words.first == "drop", words.count == 1 { return drop() }
        guard words.first == "close", words.count >= 2, let code = UInt16(words[1]) else {
            throw ScriptFailure(
                expected: "-->, <--, close CODE or drop", instead: "the line is \(text)", at: place, scriptLine: line)
        }
        close(code: code, reason: words.count > 2 ? words[2] : "")
    }

    /// Compares a value with a pattern, and stores the values of the pattern's names.
    private static func match(
        _ pattern: JSONValue, _ value: JSONValue, _ bindings: inout [String: JSONValue]
    ) -> Bool {
        switch (pattern, value) {
        case (.string(let text), _) where text.hasPrefix("$"):
            if text == "$_" { return true }
            if let bound = bindings[text] { return bound == value }
            bindings[text] = value
            return true
        case (.array(let patterns), .array(let values)):
            guard patterns.count == values.count else { return false }
            return zip(patterns, values).allSatisfy { match($0, $1, &bindings) }
        case (.object(let patterns), .object(let values)):
            guard patterns.count == values.count else { return false }
            return patterns.allSatisfy { name, pattern in
                values[name].map { match(pattern, $0, &bindings) } ?? false
            }
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _):
            return pattern == value
        }
    }

    /// Replaces names with their stored values, once. The rest of the text is not changed.
    private static func filled(_ text: String, _ bindings: [String: JSONValue]) -> String {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        var filled = String(parts.first ?? "")
        var index = 1
        while index < parts.count {
            if index + 1 < parts.count, let value = bindings[String(parts[index])] {
                filled += value.description + parts[index + 1]
                index += 2
            } else {
                filled += "\"" + parts[index]
                index += 1
            }
        }
        return filled
    }
}
