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
/// - term `<-- MESSAGE`: Sends a message. If it lacks `jsonrpc`, the version is added, and a response without `id` answers
///   the oldest request that has no response. Text that is not a JSON-RPC message is sent as it is.
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
/// stores nothing. `"$1"`, `"$2"` … are the ids of the first, the second … request that the script has taken. `"$$name"`
/// on a `-->` line is the string `$name`. A string such as `"$/progress"` is not a name.
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

        /// Returns whether the step expects a message.
        func expects(_ message: JSONValue, _ bindings: MessagePattern.Bindings) -> Bool {
            guard case .expect(let pattern, _) = action else { return false }
            var trial = bindings
            return pattern.difference(from: message, &trial) == nil
        }
    }

    /// The departures of a message from a whole text message.
    struct Form: Sendable {
        var isBinary = false
        var isFragmented = false
        var maximumBytes: Int?
    }

    var steps: [Step]

    init(steps: [Step]) { self.steps = steps }

    /// Parses a script.
    ///
    /// - Parameters:
    ///   - text: The lines of the script.
    ///   - fileID: The module and file of the call.
    ///   - filePath: The path of the file of the call.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Throws: ``ScriptFailure`` with the number of the first line that is not understood.
    public init(
        parsing text: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) throws {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        try self.init(parsing: text, at: place)
    }

    init(parsing text: String, at place: ScriptFailure.Location) throws {
        steps = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            do throws(ScriptLine.Fault) {
                if let action = try ScriptLine.action(of: line) { steps.append(Step(line: index + 1, action: action)) }
            } catch {
                throw ScriptFailure(
                    expected: error.expected, instead: error.instead, at: place, scriptLine: index + 1)
            }
        }
    }
}
