// swift-jsonrpc · SPDX-License-Identifier: MIT

package enum CommandStatus: Int32, Sendable, CaseIterable {
    /// Every call returned a result.
    case success = 0
    /// The peer answered with an error object.
    case errorObject = 1
    /// The command line, a file or a line of input is invalid. Nothing was sent for it.
    case usage = 2
    /// The connection could not be established, or an HTTP status is not 2xx and the body is not a JSON-RPC response.
    case couldNotConnect = 3
    /// No response arrived within the timeout.
    case timeout = 4
    /// The connection ended before the response arrived.
    case connectionLost = 5
    /// The peer violated the JSON-RPC, WebSocket or HTTP protocol.
    case protocolViolation = 6
    /// `bench --compare` found a figure that is worse than before.
    case regression = 7
    /// What was asked for is not in the peer's answer.
    case absent = 8
    /// SIGINT ended the command. By the shell's convention the status is 128 + 2.
    case interrupted = 130
    /// The reader of standard output closed it: 128 + SIGPIPE.
    case outputClosed = 141
    /// SIGTERM ended the command: 128 + 15.
    case terminated = 143

    private static let byGravity: [CommandStatus] = [
        .success, .errorObject, .absent, .timeout, .regression, .usage, .protocolViolation, .connectionLost,
        .couldNotConnect, .outputClosed, .interrupted, .terminated,
    ]

    /// Returns the worse of two statuses. A command with many calls ends with the worst status among them, so a script
    /// can rely on the exit status alone.
    package static func worst(_ left: CommandStatus, _ right: CommandStatus) -> CommandStatus {
        byGravity.last { $0 == left || $0 == right } ?? left
    }
}

/// Ends the command with a status. All messages have been printed before.
package struct Exit: Error, Equatable {
    package var status: CommandStatus

    package init(status: CommandStatus) { self.status = status }
}

/// An invalid option, file or input line. The exit status is 2. Functions that read one of them throw it, with a sentence
/// that names the fault.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
