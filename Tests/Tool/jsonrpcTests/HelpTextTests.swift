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
        let discussion = try configuration(name).discussion.replacing(/\\\n +/, with: " ")
        let lines = discussion.split(separator: "\n").map(String.init)
        #expect(lines.prefix(2).contains { $0.contains("jsonrpc \(name)") && $0.hasPrefix("  ") })
        let examples = lines.filter { $0.drop { $0 == " " }.hasPrefix("jsonrpc ") && $0.hasPrefix("  ") }
        for example in examples {
            #expect(throws: Never.self, "\(example)") {
                _ = try CommandLineWords.parse(Array(words(example).dropFirst()), environmentURL: nil)
            }
        }
    }

    /// A terminal breaks a longer line within a word, and line breaks of the parser would split an example or a table.
    @Test(arguments: commands.compactMap { $0.configuration.commandName } + ["jsonrpc"])
    func theHelpFitsEightyColumns(_ name: String) throws {
        let command = Self.commands.first { $0.configuration.commandName == name } ?? JSONRPCCommand.self
        let help = JSONRPCCommand.helpMessage(for: command, columns: 80)
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines { #expect(line.count <= 80, "\(line)") }
        let source = command.configuration.discussion.split(separator: "\n")
        // A backslash ends a line only within an example.
        #expect(lines.filter { $0.hasSuffix("\\") } == source.filter { $0.hasSuffix("\\") && $0.hasPrefix("  ") })
        for line in source where line.hasPrefix("  ") { #expect(lines.contains(line), "\(line)") }
        #expect(help.contains("USAGE: jsonrpc"))
    }

    /// The pages as the tool prints them, with the name of each command and through `help`.
    @Test(arguments: commands.compactMap { $0.configuration.commandName } + ["help", ""])
    func thePrintedHelpFitsEightyColumns(_ name: String) async throws {
        let words = name.isEmpty ? [] : [name]
        for arguments in name == "help" ? [["help"], ["help", "--help"]] : [words + ["--help"], ["help"] + words] {
            let run = try await ToolRun.run(arguments, environment: ["COLUMNS": "80"])
            #expect(run.status == 0)
            #expect(run.diagnostics == "")
            var isExample = false
            for line in run.output.split(separator: "\n", omittingEmptySubsequences: false) {
                #expect(line.count <= 80, "\(arguments): \(line)")
                #expect(!line.contains("\\\\") && !line.contains("\\ "), "\(arguments): \(line)")
                // A backslash ends a line only if the command of an example goes on in the next line.
                isExample = line.hasPrefix("  ") && (isExample || line.contains("jsonrpc "))
                if line.hasSuffix("\\") { #expect(isExample, "\(arguments): \(line)") }
            }
        }
    }

    @Test func theHelpOfThePromptFitsEightyColumns() {
        for line in PromptCommand.helpText.split(separator: "\n") { #expect(line.count < 80, "\(line)") }
    }

    @Test func anErrorNamesTheOptionAndTheValue() {
        for (arguments, message) in [
            (["batch", "ws://h", "--concurrency", "0"], "--concurrency must be at least 1, not 0."),
            (["serve", "--port", "65536"], "--port must be from 0 to 65535, not 65536."),
            (["call", "ws://h", "m", "--key", "k.pem"], "--key needs --cert, which is missing."),
            (
                ["bench", "ws://h", "m", "--requests", "1", "--duration", "1"],
                "Give --requests or --duration, not both."
            ),
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
