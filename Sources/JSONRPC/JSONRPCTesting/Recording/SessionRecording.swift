// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
public import WireJSON

/// The messages of connections with their directions and times, which can be stored, read back and replayed.
///
/// A ``SessionRecorder`` makes it, and `PeerScript(replaying:as:matching:pace:)` replays it.
///
/// The stored form is JSON Lines in UTF-8, with a line feed after each line. The first line names the format, and each
/// line after it is an event:
///
/// ```
/// {"format":"jsonrpc-recording","version":1}
/// {"time":0.000000000,"event":"opened"}
/// {"time":0.000125000,"event":"sent","message":{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}}
/// {"time":0.000250000,"event":"received","message":{"jsonrpc":"2.0","id":1,"result":3}}
/// {"time":0.000300000,"event":"received","text":"not JSON"}
/// {"time":0.000400000,"event":"received","hex":"00ff","binary":true}
/// {"time":0.000500000,"event":"withdrawn","id":2}
/// {"time":1.500000000,"event":"closed","code":1012,"reason":"restart","by":"remote"}
/// {"time":1.600000000,"event":"opened","connection":2}
/// ```
///
/// - `time` is in seconds since the recorder was made.
/// - `message` holds the bytes of a message that is JSON and has no line feed. `text` holds other UTF-8 text, and `hex`
///   other bytes. `binary` is `true` for a binary message.
/// - `withdrawn` means that the request with the `id` was removed from the outbox before it was sent.
/// - `by` is `local`, `remote` or `failure`, as `TransportClosure.Initiator`.
/// - `connection` counts from 1, and is left out if it is 1. Readers ignore other members.
public struct SessionRecording: Sendable, Hashable {
    /// The bytes and the kind of a message.
    public struct Message: Sendable, Hashable, CustomStringConvertible {
        /// The bytes.
        public var bytes: [UInt8]
        /// Whether it is a binary message. Otherwise it is a text message.
        public var isBinary: Bool

        /// The beginning of the text.
        public var description: String {
            String(decoding: bytes, as: UTF8.self).excerpt(ScriptFailure.maximumCharacters)
        }

        /// Makes a message. `isBinary` is `false` by default.
        public init(bytes: [UInt8], isBinary: Bool = false) {
            self.bytes = bytes
            self.isBinary = isBinary
        }

        public init(_ text: String) { self.init(bytes: Array(text.utf8)) }
    }

    /// One event of a connection.
    public struct Event: Sendable, Hashable {
        /// The kind of an event.
        public enum Kind: Sendable, Hashable {
            /// The connection was established.
            case opened
            /// A message was put into the outbox.
            case sent(Message)
            /// A message arrived.
            case received(Message)
            /// The request with an id was removed from the outbox before it was sent.
            case withdrawn(RawJSON)
            /// The connection ended.
            case closed(code: UInt16, reason: String, by: TransportClosure.Initiator)
        }

        /// The time since the recorder was made.
        public var time: Duration
        /// The number of the connection, counted from 1.
        public var connection: Int
        /// The kind of the event.
        public var kind: Kind

        /// Makes an event. The default of `connection` is 1.
        public init(_ kind: Kind, time: Duration, connection: Int = 1) {
            self.kind = kind
            self.time = time
            self.connection = connection
        }
    }

    /// Limits for a recording that is read. They protect the program that reads a recording of others.
    public struct Limits: Sendable, Hashable {
        /// The maximum length of a line, in bytes. The default is 16 MiB.
        public var maximumLineBytes = 16 * 1024 * 1024
        /// The maximum number of events. The default is 1 million.
        public var maximumEvents = 1_000_000
        /// The maximum length of the recording, in bytes. The default is 1 GiB.
        public var maximumBytes = 1024 * 1024 * 1024
        /// The limits of the JSON of each line.
        public var json = JSONLimits()

        /// Makes the default limits.
        public init() {}
    }

    /// The events, in order.
    public var events: [Event]

    /// Makes a recording of events.
    public init(events: [Event] = []) { self.events = events }

    /// Reads a recording in its stored form.
    ///
    /// - Throws: A ``RecordingError`` with the number of the line.
    public init(parsing bytes: [UInt8], limits: Limits = Limits()) throws(RecordingError) {
        var reader = RecordingReader(limits: limits)
        try reader.read(bytes[...])
        events = try reader.finish()
    }

    /// The recording in its stored form.
    public var bytes: [UInt8] {
        events.reduce(into: Self.header) { $0 += Self.line(of: $1) }
    }

    /// The first line of the stored form, with its line feed.
    public static var header: [UInt8] { Array(#"{"format":"jsonrpc-recording","version":1}"#.utf8) + [0x0A] }

    /// Returns the line of an event in the stored form, with its line feed. A program that records for a long time can
    /// write lines as they come.
    public static func line(of event: Event) -> [UInt8] { RecordingLine.bytes(of: event) }
}

/// The error of a recording that cannot be read or written.
public struct RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. Later versions may add kinds, so a `switch` over them needs a default.
    public struct Code: Sendable, Hashable {
        private enum Value: Sendable, Hashable { case notJSON, notARecording, invalidEvent, limitExceeded, file }
        private var value: Value

        /// The line is not JSON.
        public static let notJSON = Code(value: .notJSON)
        /// The first line does not name the format, or names another version.
        public static let notARecording = Code(value: .notARecording)
        /// The line is JSON, and not an event.
        public static let invalidEvent = Code(value: .invalidEvent)
        /// The line, or the recording, exceeds a limit of ``SessionRecording/Limits``.
        public static let limitExceeded = Code(value: .limitExceeded)
        /// The file could not be read or written.
        public static let file = Code(value: .file)
    }

    /// The kind of failure.
    public var code: Code
    /// The number of the line, counted from 1; `nil` if the error does not concern a line.
    public var line: Int?
    /// The reason as half a sentence.
    public var reason: String

    /// The line and the reason.
    public var description: String {
        let place = line.map { "Could not read line \($0) of the recording" } ?? "Could not use the recording"
        return "\(place): \(reason)."
    }
}
