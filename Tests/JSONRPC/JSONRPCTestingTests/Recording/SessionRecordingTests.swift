// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCSession
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing
import WireJSON

/// The stored form of recordings.
@Suite(.inTurn(within: .seconds(60))) struct SessionRecordingTests {
    private static let header = #"{"format":"jsonrpc-recording","version":1}"#

    private func recording(_ lines: String...) throws -> SessionRecording {
        try SessionRecording(parsing: Array(([Self.header] + lines).joined(separator: "\n").utf8))
    }

    @Test func linesAreThoseOfTheDocumentation() throws {
        let events: [SessionRecording.Event] = [
            .init(.opened, time: .zero),
            .init(
                .sent(.init(#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#)), time: .microseconds(125)),
            .init(.received(.init("not JSON")), time: .microseconds(300)),
            .init(.received(.init(bytes: [0, 0xFF], isBinary: true)), time: .microseconds(400)),
            .init(.withdrawn(RawJSON.null), time: .microseconds(500)),
            .init(.closed(code: 1012, reason: "re\"start", by: .remote), time: .milliseconds(1500)),
            .init(.opened, time: .milliseconds(1600), connection: 2),
        ]
        let recording = SessionRecording(events: events)
        #expect(
            String(decoding: recording.bytes, as: UTF8.self) == """
                {"format":"jsonrpc-recording","version":1}
                {"time":0.000000000,"event":"opened"}
                {"time":0.000125000,"event":"sent","message":{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}}
                {"time":0.000300000,"event":"received","text":"not JSON"}
                {"time":0.000400000,"event":"received","hex":"00ff","binary":true}
                {"time":0.000500000,"event":"withdrawn","id":null}
                {"time":1.500000000,"event":"closed","code":1012,"reason":"re\\"start","by":"remote"}
                {"time":1.600000000,"event":"opened","connection":2}

                """)
        #expect(try SessionRecording(parsing: recording.bytes) == recording)
    }

    @Test(
        arguments: [
            "{}", " {}", "{\n}", "1", "\"a\\u0000\"", "\u{0}\u{1}\n\r\t", "", "é\u{2028}", #"{"a":1.00,"a":2}"#, "{",
        ], [true, false])
    func bytesOfMessagesAreKept(text: String, isBinary: Bool) throws {
        let message = SessionRecording.Message(bytes: Array(text.utf8), isBinary: isBinary)
        let recording = SessionRecording(events: [
            .init(.sent(message), time: .nanoseconds(1_234_567_891)), .init(.received(message), time: .seconds(3)),
        ])
        let lines = recording.bytes.split(separator: 0x0A)
        #expect(lines.count == 3)
        #expect(try SessionRecording(parsing: recording.bytes) == recording)
    }

    @Test func randomBytesAreKept() throws {
        var random = SeededGenerator(seed: 8)
        let events = (0..<200).map { number in
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            return SessionRecording.Event(.received(.init(bytes: bytes)), time: .milliseconds(number))
        }
        let recording = SessionRecording(events: events)
        #expect(try SessionRecording(parsing: recording.bytes) == recording)
    }

    @Test func otherMembersAndEmptyLinesAreIgnored() throws {
        let recording = try recording(
            #"{"note":[],"event":"opened","time":1}"#, "", "\r", #"{"time":2e0,"event":"opened"} "#)
        #expect(recording.events.map(\.time) == [.seconds(1), .seconds(2)])
    }

    // MARK: Bad input

    @Test(
        arguments: [
            "{", "1", "nul", "{}", #"{"time":0}"#, #"{"time":0,"event":"x"}"#, #"{"time":0,"event":1}"#,
            #"{"event":"opened"}"#, #"{"time":-1,"event":"opened"}"#, #"{"time":1e400,"event":"opened"}"#,
            #"{"time":"1","event":"opened"}"#, #"{"time":1e300,"event":"opened"}"#,
            #"{"time":0,"event":"opened","connection":0}"#, #"{"time":0,"event":"opened","connection":1e99}"#,
            #"{"time":0,"event":"opened","connection":"1"}"#, #"{"time":0,"event":"sent"}"#,
            #"{"time":0,"event":"sent","text":1}"#, #"{"time":0,"event":"sent","hex":"0"}"#,
            #"{"time":0,"event":"sent","hex":"0g"}"#, #"{"time":0,"event":"sent","hex":"é0"}"#,
            #"{"time":0,"event":"withdrawn"}"#, #"{"time":0,"event":"closed","by":"local"}"#,
            #"{"time":0,"event":"closed","code":70000,"by":"local"}"#,
            #"{"time":0,"event":"closed","code":1.5,"by":"local"}"#, #"{"time":0,"event":"closed","code":1000}"#,
            #"{"time":0,"event":"sent","text":"\ud800"}"#, "\u{FEFF}{}",
        ])
    func aBadLineIsNamed(line: String) {
        let error = #expect(throws: RecordingError.self) {
            try recording(#"{"time":0,"event":"opened"}"#, line, #"{"time":0,"event":"opened"}"#)
        }
        #expect(error?.line == 3)
        #expect(error?.code == .invalidEvent || error?.code == .notJSON)
        #expect(error?.description.hasPrefix("Could not read line 3 of the recording: ") == true)
    }

    /// A cut between two lines leaves a shorter recording. For any other cut, the error names the line.
    @Test func aTruncatedRecordingIsNamed() throws {
        let events: [SessionRecording.Event] = [.init(.opened, time: .zero), .init(.sent(.init("{}")), time: .zero)]
        let bytes = SessionRecording(events: events).bytes
        for count in 0..<(bytes.count - 1) {
            let part = Array(bytes.prefix(count))
            let line = part.count { $0 == 0x0A } + 1
            do {
                let recording = try SessionRecording(parsing: part)
                #expect(part.last == 0x0A || bytes[count] == 0x0A)
                #expect(recording.events.count < 2)
            } catch {
                #expect(error.line == line)
            }
        }
    }

    @Test(arguments: [
        "", "\n", "{}", "[]", #"{"format":"x"}"#, #"{"format":"jsonrpc-recording","version":2}"#, "\u{0}",
    ])
    func anotherFileIsNoRecording(text: String) {
        let error = #expect(throws: RecordingError.self) { try SessionRecording(parsing: Array(text.utf8)) }
        #expect(error?.line == 1)
        #expect([.notARecording, .notJSON, .invalidEvent].contains(error?.code))
    }

    @Test func limitsHold() throws {
        let bytes = SessionRecording(events: Array(repeating: .init(.opened, time: .zero), count: 10)).bytes
        var limits = SessionRecording.Limits()
        limits.maximumEvents = 9
        var error = #expect(throws: RecordingError.self) { try SessionRecording(parsing: bytes, limits: limits) }
        #expect(error?.code == .limitExceeded && error?.line == 11)
        limits.maximumEvents = 10
        #expect(try SessionRecording(parsing: bytes, limits: limits).events.count == 10)
        limits.maximumBytes = bytes.count - 1
        error = #expect(throws: RecordingError.self) { try SessionRecording(parsing: bytes, limits: limits) }
        #expect(error?.code == .limitExceeded)
        let nested = try #require(
            #expect(throws: RecordingError.self) {
                try recording(#"{"time":0,"event":"sent","message":"# + String(repeating: "[", count: 100_000))
            })
        #expect(nested.code == .notJSON && nested.line == 2)
    }

    // MARK: Files

    @Test func aRecordingIsStoredAndReadBack() throws {
        let path = "/tmp/jsonrpc-recording-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        defer { unlink(path) }
        let recording = SessionRecording(
            events: (0..<5000).map { .init(.sent(.init(#"{"id":\#($0)}"#)), time: .milliseconds($0)) })
        try recording.write(toFile: path)
        #expect(try SessionRecording(contentsOfFile: path) == recording)
        try SessionRecording().write(toFile: path)
        #expect(try SessionRecording(contentsOfFile: path).events.isEmpty)
    }

    /// The file has a gigabyte, of which the reader takes 16 MiB.
    @Test func aLineOfAGigabyteIsRefused() throws {
        let path = "/tmp/jsonrpc-recording-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        defer { unlink(path) }
        try SessionRecording(events: [.init(.opened, time: .zero)]).write(toFile: path)
        #expect(truncate(path, 1 << 30) == 0)
        let error = #expect(throws: RecordingError.self) { try SessionRecording(contentsOfFile: path) }
        #expect(error?.code == .limitExceeded && error?.line == 3)
    }

    @Test func aMissingFileIsAnError() {
        let error = #expect(throws: RecordingError.self) { try SessionRecording(contentsOfFile: "/nowhere/at/all") }
        #expect(error?.code == .file && error?.line == nil)
        #expect(throws: RecordingError.self) { try SessionRecording(contentsOfFile: "/") }
        #expect(throws: RecordingError.self) { try SessionRecording().write(toFile: "/nowhere/at/all") }
    }
}
