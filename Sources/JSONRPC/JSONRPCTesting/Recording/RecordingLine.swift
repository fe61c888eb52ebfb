// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import WireJSON

/// One line of a stored recording.
enum RecordingLine {
    struct Fault: Error {
        var code: RecordingError.Code
        var reason: String
    }

    // MARK: Writing

    static func bytes(of event: SessionRecording.Event) -> [UInt8] {
        let nanoseconds = max(0, Int64(min(event.time / .nanoseconds(1), 9e18)))
        let fraction = String(nanoseconds % 1_000_000_000 + 1_000_000_000).dropFirst()
        var line = Array(#"{"time":\#(nanoseconds / 1_000_000_000).\#(fraction),"event":"#.utf8)
        switch event.kind {
        case .opened: line += #""opened""#.utf8
        case .sent(let message): line += Array(#""sent","#.utf8) + members(of: message)
        case .received(let message): line += Array(#""received","#.utf8) + members(of: message)
        case .withdrawn(let id): line += Array(#""withdrawn","id":"#.utf8) + withoutLineFeeds(id.bytes)
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

    /// White space between the tokens of JSON makes no difference.
    private static func withoutLineFeeds(_ json: ArraySlice<UInt8>) -> [UInt8] { json.filter { $0 != 0x0A } }

    // MARK: Reading

    static func checkHeader(_ line: ArraySlice<UInt8>, _ limits: JSONLimits) throws(Fault) {
        let members = try members(in: line, limits)
        guard let format = members["format"], string(format) == "jsonrpc-recording" else {
            throw Fault(code: .notARecording, reason: "expected \"format\":\"jsonrpc-recording\"")
        }
        guard let version = members["version"], number(version) == 1 else {
            throw Fault(code: .notARecording, reason: "expected version 1 of the format")
        }
    }

    static func event(in line: ArraySlice<UInt8>, _ limits: JSONLimits) throws(Fault) -> SessionRecording.Event {
        let members = try members(in: line, limits)
        guard let time = members["time"].flatMap(number), time >= 0, time <= 1e9 else {
            throw invalid("expected a time between 0 and 1e9 seconds")
        }
        let connection = members["connection"].map { number($0).flatMap { Int(exactly: $0) } ?? 0 } ?? 1
        guard connection > 0 else { throw invalid("expected a connection of 1 or more") }
        return SessionRecording.Event(
            try kind(members), time: .nanoseconds(Int64((time * 1e9).rounded())), connection: connection)
    }

    private static func kind(_ members: [String: RawJSON]) throws(Fault) -> SessionRecording.Event.Kind {
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
            let reason = members["reason"].flatMap(string) ?? ""
            switch members["by"].flatMap(string) {
            case "local": return .closed(code: code, reason: reason, by: .local)
            case "remote": return .closed(code: code, reason: reason, by: .remote)
            case "failure": return .closed(code: code, reason: reason, by: .failure)
            default: throw invalid("expected \"by\" with local, remote or failure")
            }
        default: throw invalid("expected an event: opened, sent, received, withdrawn or closed")
        }
    }

    private static func message(_ members: [String: RawJSON]) throws(Fault) -> SessionRecording.Message {
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
    ) throws(Fault) -> [String: RawJSON] {
        let members: [(name: String, value: RawJSON)]?
        do throws(JSONSyntaxError) {
            members = try RawJSON(validating: line, limits: limits).members()
        } catch {
            throw Fault(code: .notJSON, reason: "\(error.reason) at column \(error.column)")
        }
        guard let members else { throw invalid("expected an object") }
        return Dictionary(members.map { ($0.name, $0.value) }) { $1 }
    }

    private static func string(_ json: RawJSON) -> String? { (try? JSONValue(json))?.stringValue }

    private static func number(_ json: RawJSON) -> Double? { (try? JSONValue(json))?.doubleValue }

    private static func invalid(_ reason: String) -> Fault { Fault(code: .invalidEvent, reason: reason) }
}
