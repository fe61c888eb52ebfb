// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

/// JRPCProxy's seven cases about the parts of a message that can be read.
@Suite("JP: what is read from a message", .inTurn)
struct MessageAccessTests {
    private func params(_ text: String) throws -> String? {
        let reading = try MessageReader.standard.call(text)
        return reading.params.map { String(decoding: Array(text.utf8)[$0], as: UTF8.self) }
    }

    @Test func positionalParams() throws {
        #expect(try params(#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1,"b"]}"#) == #"[1,"b"]"#)
    }

    @Test func namedParams() throws {
        #expect(try params(#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}"#) == #"{"a":1}"#)
    }

    @Test func absentParams() throws {
        #expect(try params(#"{"jsonrpc":"2.0","id":1,"method":"m"}"#) == nil)
    }

    @Test func result() throws {
        let text = #"{"jsonrpc":"2.0","id":1,"result":"Hello World!"}"#
        guard case .result(let range?) = try MessageReader.standard.response(text).outcome else {
            Issue.record("no result")
            return
        }
        #expect(String(decoding: Array(text.utf8)[range], as: UTF8.self) == #""Hello World!""#)
    }

    @Test func methodNotFound() throws {
        let text = #"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#
        #expect(try MessageReader.standard.response(text).outcome == .error(ErrorObject(.methodNotFound)))
    }

    @Test func absentID() throws {
        let reading = try MessageReader.standard.call(#"{"jsonrpc":"2.0","method":"m"}"#)
        #expect(reading.id == nil)
        #expect(reading.echo == nil)
    }

    @Test func nullID() throws {
        let reading = try MessageReader.standard.call(#"{"jsonrpc":"2.0","id":null,"method":"m"}"#)
        #expect(reading.id == nil)
        #expect(reading.echo == .json(.null))
    }
}
