// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import TestSupport
import TestTurns
import Testing

@Suite("Server-sent events", .inTurn)
struct ServerSentEventsTests {
    static func event(_ data: String, _ type: String = "message", id: String = "") -> ServerSentEvent {
        ServerSentEvent(type: type, data: data, lastEventID: id)
    }

    static let streams: [(String, [ServerSentEvent])] = [
        ("", []), ("\n\n", []), ("data: a\n\n", [event("a")]), ("data:a\n\n", [event("a")]),
        ("data:  a\n\n", [event(" a")]), ("data\n\n", [event("")]), ("data:\n\n", [event("")]),
        ("data\ndata\n\ndata:", [event("\n")]), ("data: YHOO\ndata: +2\ndata: 10\n\n", [event("YHOO\n+2\n10")]),
        (": comment\n\ndata: a\n: in between\ndata: b\n\n", [event("a\nb")]),
        ("data: a\r\n\r\ndata: b\r\rdata: c\n\n", [event("a"), event("b"), event("c")]),
        ("data: a\r\ndata: b\r\n\r\n", [event("a\nb")]), ("data: a\n\r\n\rdata: b\r\n\n", [event("a"), event("b")]),
        ("\u{FEFF}data: a\n\n", [event("a")]), ("\u{FEFF}\u{FEFF}data: a\n\n", []),
        ("data: a\n\n\u{FEFF}data: b\n\n", [event("a")]),
        ("event: add\ndata: 1\n\ndata: 2\n\n", [event("1", "add"), event("2")]),
        ("event: a\nevent: b\ndata: 1\n\nevent:\ndata: 2\n\n", [event("1", "b"), event("2")]),
        ("event: lost\n\ndata: 1\n\n", [event("1")]),
        (
            "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
            [event("a", id: "1"), event("b", id: "1"), event("c")]
        ),
        ("id: 7\n\ndata: a\n\n", [event("a", id: "7")]), ("id: 1\u{0}2\ndata: a\n\n", [event("a")]),
        ("data: a\nid: 9\n\n", [event("a", id: "9")]),
        ("Data: a\ndata : b\n data: c\ndatax: d\nunknown\n:\n\n", []), ("data: a\ndata: b\n", []), ("data: a\n", []),
        ("data: a", []), ("data: a\n\ndata: b\n\r", [event("a"), event("b")]),
        ("data: 日本😀: x\n\n", [event("日本😀: x")]), ("data:\t\u{0}\n\n", [event("\t\u{0}")]),
        ("test\n\ndata: a: b\n\n", [event("a: b")]),
    ]

    @Test(arguments: streams)
    func eventsAreTheSameWhereverThePiecesEnd(text: String, events: [ServerSentEvent]) async throws {
        for stream in everySplit(of: text) { #expect(try await collect(stream.serverSentEvents()) == events) }
    }

    @Test(
        arguments: [
            ("3000", 3000), ("0", 0), (" 7", 7), ("007", 7), ("-1", nil), ("1.5", nil), ("1s", nil), ("", nil),
            ("٣", nil),
            ("999999999999999999999999", Int(Int32.max)),
        ] as [(String, Int?)])
    func onlyDigitsSetTheReconnectionTime(value: String, milliseconds: Int?) async throws {
        for stream in everySplit(of: "retry:\(value)\n\n") {
            var iterator = stream.serverSentEvents().makeAsyncIterator()
            #expect(iterator.reconnectionTime == nil)
            #expect(try await iterator.next() == nil)
            #expect(iterator.reconnectionTime == milliseconds.map { .milliseconds($0) })
        }
    }

    @Test func theLastIDOutlivesTheStream() async throws {
        var iterator = HTTPByteStream(Array("id: 1\ndata: a\n\nid: 2\n\nid: 3".utf8)).serverSentEvents()
            .makeAsyncIterator()
        #expect(try await iterator.next() == Self.event("a", id: "1"))
        #expect(iterator.lastEventID == "1")
        #expect(try await iterator.next() == nil)
        // The third line is not complete.
        #expect(iterator.lastEventID == "2")
    }

    @Test func bytesThatAreNotUTF8AreReplaced() async throws {
        let bytes = Array("data: a".utf8) + [0xFF, 0xED, 0xA0] + Array("b\n\n".utf8)
        let events = try await collect(HTTPByteStream(bytes).serverSentEvents())
        #expect(events.map(\.data) == [String(decoding: [0x61, 0xFF, 0xED, 0xA0, 0x62] as [UInt8], as: UTF8.self)])
        #expect(events.first?.data.contains("\u{FFFD}") == true)
    }

    @Test func anEventHasALimit() async throws {
        let fits = "data: 1234567890\n\ndata: 12\ndata: 34\ndata: 56\ndata: 7\n\n"
        for stream in everySplit(of: fits) {
            let events = try await collect(stream.serverSentEvents(maximumEventBytes: 16))
            #expect(events == [Self.event("1234567890"), Self.event("12\n34\n56\n7")])
        }
        let long = String(repeating: "x", count: 20)
        for text in ["data: \(long)\n\n", ":\(long)\n", String(repeating: "data: 123\n", count: 5), "\(long)"] {
            for stream in everySplit(of: "data: a\n\n" + text) {
                var iterator = stream.serverSentEvents(maximumEventBytes: 16).makeAsyncIterator()
                #expect(try await iterator.next() == Self.event("a"))
                await #expect(throws: EventStreamError.eventTooLarge(limit: 16)) { try await iterator.next() }
                #expect(try await iterator.next() == nil)
            }
        }
    }

    @Test func anEventIsGivenBeforeTheNextPieceIsAskedFor() async throws {
        let source = SplitStream(["data: a\n\nda", "ta: b\n\n", "data: c\n\n"].map { Array($0.utf8) })
        var iterator = source.stream.serverSentEvents().makeAsyncIterator()
        #expect(try await iterator.next()?.data == "a")
        #expect(source.askedPieces == 1)
        #expect(try await iterator.next()?.data == "b")
        #expect(source.askedPieces == 2)
    }

    /// The standard's algorithm, over a whole text at once.
    static func reference(_ text: String) -> [ServerSentEvent] {
        var scalars = Array(text.unicodeScalars)
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        var normal = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            if scalar == "\n", index > 0, scalars[index - 1] == "\r" { continue }
            normal.append(scalar == "\r" ? "\n" : scalar)
        }
        var lines = normal.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        lines.removeLast()
        var (data, type, id, events) = ("", "", "", [ServerSentEvent]())
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count < 2 ? "" : parts[1].hasPrefix(" ") ? String(parts[1].dropFirst()) : String(parts[1])
            switch (line, parts[0]) {
            case ("", _):
                if !data.isEmpty {
                    events.append(event(String(data.dropLast()), type.isEmpty ? "message" : type, id: id))
                }
                (data, type) = ("", "")
            case (_, "data"): data += value + "\n"
            case (_, "event"): type = value
            case (_, "id"): id = value
            default: break
            }
        }
        return events
    }

    @Test func randomStreamsAreReadAsTheStandardSays() async throws {
        var random = SeededGenerator(seed: 2026)
        let words = [
            "data", "data:", "data: ", "event:", "id:", "id", ":", "x", "é", " ", "retry:", "\n", "\n", "\r", "\r\n",
            "\n\n",
        ]
        var count = 0
        for _ in 0..<1000 {
            let text =
                (random.oneIn(4) ? "\u{FEFF}" : "")
                + (0..<Int.random(in: 0...30, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
                .joined()
            let expected = Self.reference(text)
            let events = try await collect(randomSplit(of: Array(text.utf8), using: &random).serverSentEvents())
            #expect(events == expected, "\(text.debugDescription)")
            count += events.count
        }
        #expect(count > 300)
    }
}
