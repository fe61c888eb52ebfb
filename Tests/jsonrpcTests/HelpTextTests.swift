// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import TestTurns
import Testing

@testable import jsonrpc

/// The help of each command: an imperative summary, then an example that the parser accepts.
@Suite(.inTurn) struct HelpTextTests {
    private static let commands = JSONRPCCommand.configuration.subcommands

    private func configuration(_ name: String) throws -> CommandConfiguration {
        try #require(Self.commands.first { $0.configuration.commandName == name }).configuration
    }

    @Test(arguments: commands.compactMap { $0.configuration.commandName })
    func theSummaryIsAnImperativeSentence(_ name: String) throws {
        let abstract = try configuration(name).abstract
        let verb = try #require(abstract.split(separator: " ").first)
        #expect(!verb.hasSuffix("s"), "\(abstract)")
        #expect(abstract.hasSuffix("."))
    }

    @Test(arguments: commands.compactMap { $0.configuration.commandName })
    func theDetailsBeginWithExamplesThatParse(_ name: String) throws {
        let lines = try configuration(name).discussion.split(separator: "\n").map(String.init)
        #expect(lines.prefix(2).contains { $0.contains("jsonrpc \(name)") && $0.hasPrefix("  ") })
        let examples = lines.filter { $0.drop { $0 == " " }.hasPrefix("jsonrpc ") && $0.hasPrefix("  ") }
        for example in examples {
            #expect(throws: Never.self, "\(example)") {
                _ = try CommandLineWords.parse(Array(words(example).dropFirst()), environmentURL: nil)
            }
        }
    }

    @Test func anErrorNamesTheOptionAndTheValue() {
        for (arguments, message) in [
            (["batch", "ws://h", "--concurrency", "0"], "--concurrency must be at least 1, not 0."),
            (["serve", "--port", "65536"], "--port must be from 0 to 65535, not 65536."),
            (["call", "ws://h", "m", "--key", "k.pem"], "--key needs --cert, which is missing."),
            (["bench", "ws://h", "m"], "Give --requests or --duration."),
        ] {
            #expect {
                _ = try CommandLineWords.parse(arguments, environmentURL: nil)
            } throws: {
                JSONRPCCommand.fullMessage(for: $0).contains(message)
            }
        }
    }

    /// The words of a line up to a pipe, as a shell splits them. Single quotes are the only quotes.
    private func words(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in line {
            switch character {
            case "'":
                isQuoted.toggle()
                word = word ?? ""
            case " " where !isQuoted:
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return words.prefix { $0 != "|" }.map(\.self)
    }
}
