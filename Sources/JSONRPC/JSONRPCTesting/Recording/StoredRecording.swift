// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCSession
import WireJSON

/// Reads a stored recording in pieces, so that a hostile file takes no more memory than the limits allow.
struct RecordingReader {
    private let limits: SessionRecording.Limits
    private var events: [SessionRecording.Event] = []
    /// The beginning of a line whose end was not read.
    private var begun: [UInt8] = []
    private var byteCount = 0
    private var line = 1

    init(limits: SessionRecording.Limits) { self.limits = limits }

    mutating func read(_ bytes: ArraySlice<UInt8>) throws(RecordingError) {
        byteCount += bytes.count
        guard byteCount <= limits.maximumBytes else {
            throw exceeded("the recording has more than \(limits.maximumBytes) bytes (Limits.maximumBytes)")
        }
        var rest = bytes
        while let end = rest.firstIndex(of: 0x0A) {
            try append(rest[..<end])
            try endLine()
            rest = rest[(end + 1)...]
        }
        try append(rest)
    }

    /// Returns the events after the last piece.
    mutating func finish() throws(RecordingError) -> [SessionRecording.Event] {
        if !begun.isEmpty { try endLine() }
        guard line > 1 else {
            throw RecordingError(code: .notARecording, line: 1, reason: "the recording is empty")
        }
        return events
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) throws(RecordingError) {
        guard begun.count + bytes.count <= limits.maximumLineBytes else {
            throw exceeded("it has more than \(limits.maximumLineBytes) bytes (Limits.maximumLineBytes)")
        }
        begun += bytes
    }

    private mutating func endLine() throws(RecordingError) {
        do throws(RecordingError) {
            if line == 1 {
                try RecordingLine.checkHeader(begun[...], limits.json)
            } else if !begun.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == 0x0D }) {
                events.append(try RecordingLine.event(in: begun[...], limits.json))
            }
        } catch {
            throw RecordingError(code: error.code, line: line, reason: error.reason)
        }
        guard events.count <= limits.maximumEvents else {
            throw exceeded("there are more than \(limits.maximumEvents) events (Limits.maximumEvents)")
        }
        begun = []
        line += 1
    }

    private func exceeded(_ reason: String) -> RecordingError {
        RecordingError(code: .limitExceeded, line: line, reason: reason)
    }
}

extension SessionRecording {
    /// Reads a recording from a file, in pieces. It blocks the thread while it reads.
    ///
    /// - Throws: A ``RecordingError``, with the number of the line if the file can be read.
    public init(contentsOfFile path: String, limits: Limits = Limits()) throws(RecordingError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("open") }
        defer { close(descriptor) }
        var reader = RecordingReader(limits: limits)
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { break }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("read") }
            try reader.read(buffer[..<count])
        }
        events = try reader.finish()
    }

    /// Writes the recording to a file, which is replaced if it exists. It blocks the thread while it writes.
    ///
    /// Only the owner can read the file, because messages may hold secrets. If the file exists, its mode is changed.
    ///
    /// - Throws: A ``RecordingError`` with the code ``RecordingError/Code/file``.
    public func write(toFile path: String) throws(RecordingError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("open") }
        defer { close(descriptor) }
        // A file that is replaced keeps its mode. Devices and pipes are left as they are.
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFREG || fchmod(descriptor, 0o600) == 0
        else { throw Self.failure("fchmod") }
        for line in [Self.header] + events.map(Self.line) {
            var rest = line[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw Self.failure("write") }
                rest = rest.dropFirst(count)
            }
        }
    }

    private static func failure(_ call: String) -> RecordingError {
        RecordingError(
            code: .file, reason: "could not \(call) the file: \(String(cString: strerror(errno)))")
    }
}

/// One line of a stored recording. Its errors do not name the line.
enum RecordingLine {
    private typealias Initiator = TransportClosure.Initiator

    // MARK: Writing

    static func bytes(of event: SessionRecording.Event) -> [UInt8] {
        let nanoseconds = max(0, Int64(min(event.time / .nanoseconds(1), 9e18)))
        let fraction = String(nanoseconds % 1_000_000_000 + 1_000_000_000).dropFirst()
        var line = Array(#"{"time":\#(nanoseconds / 1_000_000_000).\#(fraction),"event":"#.utf8)
        switch event.kind {
        case .opened: line += #""opened""#.utf8
        case .sent(let message): line += Array(#""sent","#.utf8) + members(of: message)
        case .received(let message): line += Array(#""received","#.utf8) + members(of: message)
        case .withdrawn(let id):
            // White space between the tokens of JSON makes no difference.
            line += Array(#""withdrawn","id":"#.utf8) + id.bytes.filter { $0 != 0x0A }
        case .closed(let code, let reason, let initiator):
            line += #""closed","code":\#(code),"reason":\#(JSONValue.string(reason)),"by":"\#(initiator)""#.utf8
        }
        if event.connection != 1 { line += #","connection":\#(event.connection)"#.utf8 }
        return line + [UInt8(ascii: "}"), 0x0A]
    }

    private static func members(of message: SessionRecording.Message) -> [UInt8] {
        let binary = message.isBinary ? Array(#","binary":true"#.utf8) : []
        let hasLineFeed = message.bytes.contains(0x0A)
        if !hasLineFeed, let json = try? RawJSON(validating: message.bytes), json.bytes.count == message.bytes.count {
            return Array(#""message":"#.utf8) + message.bytes + binary
        }
        if let text = String(validating: message.bytes, as: UTF8.self) {
            return Array(#""text":\#(JSONValue.string(text))"#.utf8) + binary
        }
        let digits = Array("0123456789abcdef".utf8)
        let hex = message.bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return Array(#""hex":""#.utf8) + hex + [UInt8(ascii: "\"")] + binary
    }

    // MARK: Reading

    static func checkHeader(_ line: ArraySlice<UInt8>, _ limits: JSONLimits) throws(RecordingError) {
        let members = try members(in: line, limits)
        guard let format = members["format"], string(format) == "jsonrpc-recording" else {
            throw RecordingError(code: .notARecording, reason: "expected \"format\":\"jsonrpc-recording\"")
        }
        guard let version = members["version"], number(version) == 1 else {
            throw RecordingError(code: .notARecording, reason: "expected version 1 of the format")
        }
    }

    static func event(in line: ArraySlice<UInt8>, _ limits: JSONLimits) throws(RecordingError) -> SessionRecording.Event
    {
        let members = try members(in: line, limits)
        guard let time = members["time"].flatMap(number), time >= 0, time <= 1e9 else {
            throw invalid("expected a time between 0 and 1e9 seconds")
        }
        let connection = members["connection"].map { number($0).flatMap { Int(exactly: $0) } ?? 0 } ?? 1
        guard connection > 0 else { throw invalid("expected a connection of 1 or more") }
        return SessionRecording.Event(
            try kind(members), time: .nanoseconds(Int64((time * 1e9).rounded())), connection: connection)
    }

    private static func kind(_ members: [String: RawJSON]) throws(RecordingError) -> SessionRecording.Event.Kind {
        switch members["event"].flatMap(string) {
        case "opened": return .opened
        case "sent": return .sent(try message(members))
        case "received": return .received(try message(members))
        case "withdrawn":
            guard let id = members["id"] else { throw invalid("expected an id") }
            return .withdrawn(id)
        case "closed":
            guard let code = members["code"].flatMap(number).flatMap({ UInt16(exactly: $0) }) else {
                throw invalid("expected a close code")
            }
            let by = members["by"].flatMap(string)
            guard let initiator = [.local, .remote, .failure].first(where: { "\($0)" == by }) as Initiator? else {
                throw invalid("expected \"by\" with local, remote or failure")
            }
            return .closed(code: code, reason: members["reason"].flatMap(string) ?? "", by: initiator)
        default: throw invalid("expected an event: opened, sent, received, withdrawn or closed")
        }
    }

    private static func message(_ members: [String: RawJSON]) throws(RecordingError) -> SessionRecording.Message {
        let isBinary = members["binary"].map { $0.bytes.elementsEqual("true".utf8) } ?? false
        if let message = members["message"] { return .init(bytes: Array(message.bytes), isBinary: isBinary) }
        if let text = members["text"].flatMap(string) { return .init(bytes: Array(text.utf8), isBinary: isBinary) }
        if let hex = members["hex"].flatMap(string), let bytes = self.bytes(hex: hex) {
            return .init(bytes: bytes, isBinary: isBinary)
        }
        throw invalid("expected a message, a text, or pairs of hexadecimal digits")
    }

    private static func bytes(hex: String) -> [UInt8]? {
        let digits = hex.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == hex.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private static func members(
        in line: ArraySlice<UInt8>, _ limits: JSONLimits
    ) throws(RecordingError) -> [String: RawJSON] {
        let members: [(name: String, value: RawJSON)]?
        do throws(JSONSyntaxError) {
            members = try RawJSON(validating: line, limits: limits).members()
        } catch {
            throw RecordingError(code: .notJSON, reason: "\(error.reason) at column \(error.column)")
        }
        guard let members else { throw invalid("expected an object") }
        return Dictionary(members.map { ($0.name, $0.value) }) { $1 }
    }

    private static func string(_ json: RawJSON) -> String? { (try? JSONValue(json))?.stringValue }

    private static func number(_ json: RawJSON) -> Double? { (try? JSONValue(json))?.doubleValue }

    private static func invalid(_ reason: String) -> RecordingError {
        RecordingError(code: .invalidEvent, reason: reason)
    }
}
