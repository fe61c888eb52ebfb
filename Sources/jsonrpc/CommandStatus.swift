// swift-jsonrpc · SPDX-License-Identifier: MIT

/// What the process says to the shell at its end.
enum CommandStatus: Int32, Sendable, CaseIterable {
    /// Every call had a result.
    case success = 0
    /// The peer answered with an error object.
    case errorObject = 1
    /// The command line, a file or a line of input could not be understood. Nothing was sent for it.
    case usage = 2
    /// There is no connection.
    case couldNotConnect = 3
    /// No answer came in time.
    case timeout = 4
    /// The connection ended before the answer came.
    case connectionLost = 5
    /// The peer said something which JSON-RPC or WebSocket does not allow.
    case protocolViolation = 6
    /// SIGINT, by the shell's convention 128 + 2.
    case interrupted = 130
    /// Standard output was closed by its reader: 128 + SIGPIPE.
    case outputClosed = 141
    /// SIGTERM: 128 + 15.
    case terminated = 143

    /// The status that sums up many calls: what says most about the connection wins, so that a script which looks at
    /// the status alone learns of the worst.
    static func worst(_ left: CommandStatus, _ right: CommandStatus) -> CommandStatus {
        left.gravity >= right.gravity ? left : right
    }

    private var gravity: Int {
        switch self {
        case .success: 0
        case .errorObject: 1
        case .timeout: 2
        case .usage: 3
        case .protocolViolation: 4
        case .connectionLost: 5
        case .couldNotConnect: 6
        case .outputClosed: 7
        case .interrupted: 8
        case .terminated: 9
        }
    }
}

/// Ends the command with a status; what there is to say has been said already.
struct Exit: Error, Equatable {
    var status: CommandStatus
}

/// Something the user gave cannot be used: exit status 2.
struct UsageError: Error, Equatable, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
