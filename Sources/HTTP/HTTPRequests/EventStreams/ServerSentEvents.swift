// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// An event of a `text/event-stream` (HTML Standard, server-sent events).
public struct ServerSentEvent: Sendable, Hashable {
    /// The type. The default is `message`.
    public var type: String
    /// The data. Lines are separated by LF.
    public var data: String
    /// The id of this event, or of the last event before it that had one; empty if there was none.
    ///
    /// A client sends it as `Last-Event-ID` when it connects again.
    public var lastEventID: String

    public init(type: String = "message", data: String, lastEventID: String = "") {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
    }
}

/// The events of a stream in the format `text/event-stream`, parsed as the HTML Standard prescribes.
///
/// The stream is read on demand, so a slow consumer slows the server. An event that is incomplete at the end of the
/// stream is discarded. Bytes that are not UTF-8 become U+FFFD. A stream can be read once.
public struct ServerSentEvents: AsyncSequence, Sendable {
    private let stream: HTTPByteStream
    private let maximumEventBytes: Int

    /// Makes a sequence of events.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - maximumEventBytes: The largest size of an event's data, and of each line. The default is 1 MiB.
    public init(_ stream: HTTPByteStream, maximumEventBytes: Int = 1 << 20) {
        self.stream = stream
        self.maximumEventBytes = maximumEventBytes
    }

    /// Starts reading. Only the first iterator of a stream gets its events.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream, maximumEventBytes: maximumEventBytes) }

    /// Reads the events one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var reader: LineReader?
        private var state = EventState()
        private let maximumEventBytes: Int
        private var isFirstLine = true

        /// The id for the field `Last-Event-ID` of the next connection; empty if no event had an id.
        public var lastEventID: String { state.lastEventID }
        /// The reconnection delay that the server asked for; `nil` if there is none.
        public var reconnectionTime: Duration? { state.reconnectionTime }

        fileprivate init(_ stream: HTTPByteStream, maximumEventBytes: Int) {
            // The reader counts a byte order mark towards the limit of the first line.
            reader = LineReader(stream, ending: .anyLineBreak, maximumLineBytes: maximumEventBytes)
            self.maximumEventBytes = maximumEventBytes
        }

        /// Returns the next event; `nil` at the end.
        ///
        /// - Throws: An ``EventStreamError`` if an event is too large; an error of the stream. It ends the sequence.
        public mutating func next() async throws -> ServerSentEvent? {
            do {
                while let line = try await reader?.next(), line.isComplete {
                    var bytes = line.bytes
                    if isFirstLine, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
                    isFirstLine = false
                    if let event = state.take(bytes) { return event }
                    if state.dataBytes > maximumEventBytes { throw LineReader.LineTooLong() }
                }
                return nil
            } catch is LineReader.LineTooLong {
                reader = nil
                throw EventStreamError.eventTooLarge(limit: maximumEventBytes)
            }
        }
    }
}

/// A stream of events that cannot be read.
public enum EventStreamError: Error, Sendable, Hashable {
    /// The data of an event or one line has more bytes than the limit.
    case eventTooLarge(limit: Int)
}

extension EventStreamError: CustomStringConvertible {
    /// The limit, and the option that raises it.
    public var description: String {
        switch self {
        case .eventTooLarge(let limit):
            "An event has more than \(limit) bytes. `maximumEventBytes` raises the limit."
        }
    }
}

private struct EventState {
    private var data: [UInt8] = []
    private var type: ArraySlice<UInt8> = []
    private(set) var lastEventID = ""
    private(set) var reconnectionTime: Duration?

    var dataBytes: Int { max(data.count - 1, 0) }

    /// Takes a line. An empty line completes an event, if it has data.
    mutating func take(_ line: ArraySlice<UInt8>) -> ServerSentEvent? {
        guard !line.isEmpty else { return takeEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        let name = line[..<colon]
        var value = line[colon...].dropFirst()
        if value.first == 0x20 { value = value.dropFirst() }
        if name.elementsEqual("data".utf8) {
            data += value
            data.append(0x0A)
        } else if name.elementsEqual("event".utf8) {
            type = value
        } else if name.elementsEqual("id".utf8) {
            if !value.contains(0) { lastEventID = String(decoding: value, as: UTF8.self) }
        } else if name.elementsEqual("retry".utf8) {
            setReconnectionTime(value)
        }
        return nil
    }

    private mutating func takeEvent() -> ServerSentEvent? {
        defer { (data, type) = ([], []) }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : String(decoding: type, as: UTF8.self),
            data: String(decoding: data.dropLast(), as: UTF8.self), lastEventID: lastEventID)
    }

    /// Takes a time in milliseconds, lowered to 24 days, the maximum of a browser's timer.
    private mutating func setReconnectionTime(_ value: ArraySlice<UInt8>) {
        guard let milliseconds = FieldText.number(value, limit: Int64(Int32.max)) else { return }
        reconnectionTime = .milliseconds(milliseconds)
    }
}

extension HTTPByteStream {
    /// Returns the events of a stream in the format `text/event-stream`. The default limit for an event is 1 MiB.
    public func serverSentEvents(maximumEventBytes: Int = 1 << 20) -> ServerSentEvents {
        ServerSentEvents(self, maximumEventBytes: maximumEventBytes)
    }
}
