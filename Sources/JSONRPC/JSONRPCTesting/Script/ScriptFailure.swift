// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The error of a ``ScriptedPeer`` that received no message, or another message than the expected one.
///
/// ``description`` begins with the place of the call that failed. To record the failure at that place with Swift
/// Testing:
///
/// ```swift
/// do {
///     try await peer.expectRequest("add")
/// } catch let failure as ScriptFailure {
///     let place = failure.location
///     Issue.record(
///         failure,
///         sourceLocation: SourceLocation(
///             fileID: place.fileID, filePath: place.filePath, line: place.line, column: place.column))
/// }
/// ```
public struct ScriptFailure: Error, Sendable, CustomStringConvertible {
    /// A place in a test's source, with the members of Swift Testing's `SourceLocation`.
    public struct Location: Sendable, Hashable, CustomStringConvertible {
        /// The module and the file, as `#fileID` gives them.
        public var fileID: String
        /// The path of the file, as `#filePath` gives it.
        public var filePath: String
        /// The line, counted from 1.
        public var line: Int
        /// The column, counted from 1.
        public var column: Int

        public init(fileID: String, filePath: String, line: Int, column: Int) {
            self.fileID = fileID
            self.filePath = filePath
            self.line = line
            self.column = column
        }

        /// The file and the line: `AppTests/DownloadsTests.swift:19`.
        public var description: String { "\(fileID):\(line)" }
    }

    /// The number of characters of a message in ``expected`` and ``instead``.
    static let maximumCharacters = 200

    /// The expectation, such as `a request of "add"`. A long message of a script is cut.
    public var expected: String
    /// The event that happened instead, as half a sentence. A long message is cut; ``received`` has all of it.
    public var instead: String
    /// The place of the call that failed.
    public var location: Location
    /// The message that was received instead; `nil` if no single message was.
    public var received: ReceivedMessage?
    /// The first difference between the expected and the received message, such as
    /// `at $.params[0]: expected 42, received 43`. Long values are cut. It is `nil` if no script was played, or no
    /// message like the expected one was received.
    public var difference: String?
    /// The line of a text script or of a recording, counted from 1; `nil` if neither was played.
    public var scriptLine: Int?

    /// The place, the expectation, the event that happened instead, and the first difference.
    public var description: String {
        let line = scriptLine.map { "line \($0) of the script: " } ?? ""
        let difference = difference.map { " (\($0))" } ?? ""
        return "\(location): \(line)expected \(expected), but \(instead)\(difference)."
    }
}
