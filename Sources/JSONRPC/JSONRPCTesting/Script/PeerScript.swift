// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The lines of a text script, parsed. A ``ScriptedPeer`` plays it.
///
/// ```
/// # This peer is the server.
/// --> {"method":"subscribe","params":["ticks"]}
/// <-- {"result":"0x1"}
/// <-- {"method":"tick","params":{"subscription":"0x1","result":1}}
/// wait 5s
/// close 1012 "restart"
/// ```
///
/// - term `--> MESSAGE`: Expects a message that is equal as JSON. The order of members does not matter. A message
///   without `jsonrpc` is an abbreviation: the version is not compared, nor the id if there is none.
/// - term `<-- MESSAGE`: Sends a message. If it lacks `jsonrpc`, the version is added, and a response without `id`
///   answers the oldest request that has no response. Text that is not a JSON-RPC message is sent as it is.
/// - term `send TEXT`: Sends the text as it is, without completing it.
/// - term `truncate N <-- MESSAGE`: Sends the first *N* bytes of the message.
/// - term `binary <-- MESSAGE`, `fragmented <-- MESSAGE`: Sends a binary message, or a message that arrives in several
///   frames. For the latter, the connection must be in memory. The words before `<--` can be combined.
/// - term `wait DURATION`: Waits on the peer's clock. The units are `ms`, `s` and `min`.
/// - term `close CODE REASON`: Closes the connection. The reason can be in quotes, or missing.
/// - term `drop`: Ends the connection without a handshake.
/// - term `connect`: Waits for the next connection.
/// - term `stop reading`, `start reading`: Stops and resumes reading from the connection.
///
/// Empty lines and lines that begin with `#` are ignored.
///
/// A string `"$name"` on a `-->` line matches any value and stores it under the name. On later `-->` lines, `"$name"`
/// matches only the stored value. On `<--` lines, it is replaced with the stored value. `"$_"` matches any value and
/// stores nothing. `"$1"`, `"$2"` … are the ids of the first, the second … request that the script has taken.
/// `"$$name"` on a `-->` line is the string `$name`. A string such as `"$/progress"` is not a name.
public struct PeerScript: Sendable {
    struct Step: Sendable {
        enum Action: Sendable {
            case expect(MessagePattern, shown: String)
            /// Expects a message that is not JSON.
            case expectBytes([UInt8])
            case send(MessageTemplate, Form)
            case wait(Duration)
            case close(code: UInt16, reason: String)
            case drop
            case connect
            case setReading(Bool)
        }

        /// The line of the script or of the recording, counted from 1.
        var line: Int
        var action: Action

        func expects(_ message: JSONValue, _ bindings: MessagePattern.Bindings) -> Bool {
            guard case .expect(let pattern, _) = action else { return false }
            var trial = bindings
            return pattern.difference(from: message, &trial) == nil
        }
    }

    /// The form of a message that is sent. The default is a whole text message.
    struct Form: Sendable {
        var isBinary = false
        var isFragmented = false
        var maximumBytes: Int?
    }

    var steps: [Step]

    init(steps: [Step]) { self.steps = steps }

    /// Parses a script. The last four parameters are the place that a ``ScriptFailure`` names: leave them out.
    ///
    /// - Throws: ``ScriptFailure`` with the number of the first line that is not understood.
    public init(
        parsing text: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) throws {
        steps = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, text) in lines.enumerated() {
            do throws(ScriptLine.Fault) {
                if let action = try ScriptLine.action(of: text) { steps.append(Step(line: index + 1, action: action)) }
            } catch {
                throw ScriptFailure(
                    expected: error.expected, instead: error.instead,
                    location: .init(fileID: fileID, filePath: filePath, line: line, column: column),
                    scriptLine: index + 1)
            }
        }
    }
}

/// The grammar of one line of a text script.
private enum ScriptLine {
    struct Fault: Error {
        var expected: String
        var instead: String
    }

    /// Returns the action of a line; `nil` for an empty line and a comment.
    static func action(of line: Substring) throws(Fault) -> PeerScript.Step.Action? {
        let text = trimmed(line)
        if text.isEmpty || text.hasPrefix("#") { return nil }
        if text.hasPrefix("-->") { return try expectation(text.dropFirst(3)) }
        let words = text.split(separator: " ", maxSplits: 2).map(String.init)
        switch words.first {
        case "<--", "truncate", "binary", "fragmented": return try sending(text)
        case "send":
            let exact = trimmed(text.dropFirst(4))
            guard !exact.isEmpty else { throw Fault(expected: "a text after send", instead: "the line is \(text)") }
            return .send(MessageTemplate(exactly: String(exact)), PeerScript.Form())
        case "wait": return .wait(try duration(trimmed(text.dropFirst(4))))
        case "close": return try closing(words, text)
        case "drop" where words.count == 1: return .drop
        case "connect" where words.count == 1: return .connect
        case "stop" where text == "stop reading": return .setReading(false)
        case "start" where text == "start reading": return .setReading(true)
        case _ where text.hasPrefix("<--"): return try sending(text)
        default:
            throw Fault(
                expected: "-->, <--, send, truncate, binary, fragmented, wait, close, drop, connect, stop reading or "
                    + "start reading", instead: "the line is \(text)")
        }
    }

    private static func expectation(_ text: Substring) throws(Fault) -> PeerScript.Step.Action {
        do throws(JSONSyntaxError) {
            let message = try JSONValue(parsing: String(text))
            return .expect(MessagePattern(message: message), shown: "\(message)")
        } catch {
            throw Fault(
                expected: "JSON after -->", instead: "\(error.reason) at column \(error.column) of the text after -->")
        }
    }

    private static func sending(_ line: Substring) throws(Fault) -> PeerScript.Step.Action {
        var form = PeerScript.Form()
        var rest = line
        while !rest.hasPrefix("<--") {
            let word = rest.prefix { $0 != " " }
            rest = trimmed(rest.dropFirst(word.count))
            switch word {
            case "binary": form.isBinary = true
            case "fragmented": form.isFragmented = true
            case "truncate":
                let number = rest.prefix { $0 != " " }
                guard let count = Int(number), count >= 0 else {
                    throw Fault(expected: "a number of bytes after truncate", instead: "the line is \(line)")
                }
                form.maximumBytes = count
                rest = trimmed(rest.dropFirst(number.count))
            default: throw Fault(expected: "<-- and a message", instead: "the line is \(line)")
            }
        }
        let message = trimmed(rest.dropFirst(3))
        guard !message.isEmpty else { throw Fault(expected: "a message after <--", instead: "the line is \(line)") }
        return .send(MessageTemplate(completing: String(message)), form)
    }

    private static func closing(_ words: [String], _ text: Substring) throws(Fault) -> PeerScript.Step.Action {
        guard words.count > 1, let code = UInt16(words[1]) else {
            throw Fault(expected: "a close code after close", instead: "the line is \(text)")
        }
        let reason = words.count > 2 ? words[2] : ""
        if reason.hasPrefix("\""), case .string(let quoted)? = try? JSONValue(parsing: reason) {
            return .close(code: code, reason: quoted)
        }
        return .close(code: code, reason: reason)
    }

    private static func duration(_ text: Substring) throws(Fault) -> Duration {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = trimmed(text.dropFirst(number.count))
        let seconds: [Substring: Double] = ["ms": 0.001, "s": 1, "min": 60]
        guard let factor = seconds[unit], let value = Double(number), value * factor <= 86_400 else {
            throw Fault(
                expected: "a duration of at most a day after wait, such as 5s, 250ms or 2min",
                instead: "it is \"\(text)\"")
        }
        return .milliseconds(Int((value * factor * 1000).rounded()))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" || last == "\r" { text.removeLast() }
        return text
    }
}
