// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import ToolSupport

enum PromptLine: Equatable {
    case call(method: String, params: RawJSON?)
    case notify(method: String, params: RawJSON?)
    /// Answers the peer's call with this number.
    case answer(Int, RawJSON)
    case error(Int, ErrorObject)
    /// Answers all later calls of a method with a result.
    case rule(method: String, RawJSON)
    case forget(method: String)
    case rules
    case pending
    case cancel(Int)
    case methods(containing: String)
    case timeout(TimeLimitOption)
    case raw(Bool)
    case help
    case quit

    /// Reads a line; `nil` for an empty line and for a comment, which begins with `#`.
    static func parse(_ line: String) throws -> PromptLine? {
        let words = try LineWords.split(line)
        guard let first = words.first, !first.hasPrefix("#") else { return nil }
        guard first.hasPrefix(":") else { return try .call(method: first, params: params(words.dropFirst())) }
        guard let command = PromptCommand(rawValue: String(first.dropFirst())) else {
            let names = PromptCommand.allCases.map { ":\($0.rawValue)" }
            let suggestion = SimilarWord.find(first, among: names).map { " Did you mean '\($0)'?" } ?? ""
            throw UsageError("Unknown command '\(first)'.\(suggestion) :help lists the commands.")
        }
        return try command.line(Array(words.dropFirst()))
    }

    /// Returns the params of a call, written as for `jsonrpc call`.
    fileprivate static func params(_ words: ArraySlice<String>) throws -> RawJSON? {
        try CallOption(method: "", words: Array(words)).params()
    }
}

/// The commands of the prompt, in the order of the help.
enum PromptCommand: String, CaseIterable {
    case call, notify, methods, pending, cancel, answer, error, rule, rules, forget, timeout, raw, help, quit

    /// The words after the command, and its meaning.
    private var texts: (usage: String, summary: String) {
        switch self {
        case .call: ("METHOD [PARAM…]", "Call a method whose name begins with a colon.")
        case .notify: ("METHOD [PARAM…]", "Send a notification.")
        case .methods: ("[TEXT]", "List the methods of the peer that contain TEXT.")
        case .pending: ("", "List your and the peer's unanswered calls.")
        case .cancel: ("N", "Stop waiting for call [N].")
        case .answer: ("N JSON", "Answer the peer's call #N with a result.")
        case .error: ("N CODE MESSAGE [DATA]", "Answer the peer's call #N with an error object.")
        case .rule: ("METHOD JSON", "Answer the peer's calls of METHOD with this.")
        case .rules: ("", "List the rules.")
        case .forget: ("METHOD", "Remove the rule for METHOD.")
        case .timeout: ("TIME|none", "Set the time limit of later calls: 5, 250ms.")
        case .raw: ("on|off", "Print each message: --> sent, <-- received.")
        case .help: ("", "List the commands.")
        case .quit: ("", "Close the connection and quit, like Ctrl-D.")
        }
    }

    static var helpText: String {
        let rows = allCases.map { (head: ":\($0.rawValue) \($0.texts.usage)", summary: $0.texts.summary) }
        let width = rows.map(\.head.count).max() ?? 0
        let commands = rows.map { row in
            "  \(row.head)\(String(repeating: " ", count: width - row.head.count))  \(row.summary)"
        }
        return """
            METHOD [PARAM…] calls a method. A param is JSON, name=value, or a word that is
            sent as a string. METHOD --params JSON takes all params in one array or object.
            \(commands.joined(separator: "\n"))
            Tab completes methods and commands. Ctrl-C clears the line, or cancels the
            latest call. A line that begins with a blank is not kept in the history.
            """
    }

    fileprivate func line(_ words: [String]) throws -> PromptLine {
        switch self {
        case .call: return try .call(method: method(words), params: PromptLine.params(words.dropFirst()))
        case .notify: return try .notify(method: method(words), params: PromptLine.params(words.dropFirst()))
        case .methods: return .methods(containing: words.joined(separator: " "))
        case .cancel: return try .cancel(number(words, count: 1...1))
        case .answer: return try .answer(number(words, count: 2...2), ParamWords.value(words[1]))
        case .error: return try error(words)
        case .rule:
            try require(words, 2...2)
            return try .rule(method: words[0], ParamWords.value(words[1]))
        case .forget:
            try require(words, 1...1)
            return .forget(method: words[0])
        case .timeout:
            guard words.count == 1, let time = TimeLimitOption(argument: words[0]) else { throw usageError }
            return .timeout(time)
        case .raw:
            guard words == ["on"] || words == ["off"] else { throw usageError }
            return .raw(words == ["on"])
        case .pending, .rules, .help, .quit:
            try require(words, 0...0)
            return self == .pending ? .pending : self == .rules ? .rules : self == .help ? .help : .quit
        }
    }

    private func error(_ words: [String]) throws -> PromptLine {
        let number = try number(words, count: 3...4)
        guard let code = Int(words[1]) else {
            throw UsageError("The code of an error object is an integer, not '\(words[1])'. Usage: \(usageText)")
        }
        var error = ErrorObject(code: ErrorObject.Code(rawValue: code), message: try Self.text(words[2]))
        if words.count == 4 { error.data = try ParamWords.value(words[3]) }
        return .error(number, error)
    }

    /// Returns a text that may be in JSON quotes.
    private static func text(_ word: String) throws -> String {
        word.hasPrefix("\"") ? try ParamWords.value(word).decode(as: String.self) : word
    }

    private func method(_ words: [String]) throws -> String {
        guard let method = words.first else { throw usageError }
        return method
    }

    private func number(_ words: [String], count: ClosedRange<Int>) throws -> Int {
        try require(words, count)
        guard let number = Int(words[0].drop { $0 == "#" }) else {
            throw UsageError("'\(words[0])' is not the number of a call. Usage: \(usageText)")
        }
        return number
    }

    private func require(_ words: [String], _ count: ClosedRange<Int>) throws {
        guard count.contains(words.count) else { throw usageError }
    }

    private var usageText: String { texts.usage.isEmpty ? ":\(rawValue)" : ":\(rawValue) \(texts.usage)" }
    private var usageError: UsageError { UsageError("Usage: \(usageText)") }
}
