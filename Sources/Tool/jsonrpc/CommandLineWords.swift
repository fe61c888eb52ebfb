// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import HTTPSyntax
import ToolSupport

/// Prepares the words of a command line for the argument parser. The parser does not support negative numbers as
/// arguments, repeated options with several values, or an optional argument before required ones.
enum CommandLineWords {
    /// - Parameter peers: Reads the configuration file. It is called only if a word can be the name of a peer.
    static func parse(
        _ arguments: [String], environmentURL: String?, peers: () throws -> PeerFile? = { nil }
    ) throws -> any ParsableCommand {
        let words = prepared(arguments)
        let first = Result { try JSONRPCCommand.parseAsRoot(words) }
        if case .success(let command) = first {
            guard let url = (command as? any URLCommand)?.url, !TargetURL.isURL(url) else { return command }
            if let command = try parse(words, naming: url, of: peers) { return command }
        }
        // If the command parses with the environment's URL, and has no other URL, only the URL was missing.
        guard let environmentURL, let name = words.first, !name.hasPrefix("-") else { return try first.get() }
        let complete = [name, environmentURL] + words.dropFirst()
        guard let command = try? JSONRPCCommand.parseAsRoot(complete), let target = command as? any URLCommand,
            target.method.map(TargetURL.isURL) != true, target.url == environmentURL
        else { return try first.get() }
        return try parse(complete, naming: environmentURL, of: peers) ?? command
    }

    /// Parses words whose URL may be the name of a peer; `nil` if there is no such peer.
    private static func parse(
        _ words: [String], naming name: String, of peers: () throws -> PeerFile?
    ) throws -> (any ParsableCommand)? {
        guard !TargetURL.isURL(name), PeerFile.isName(name), let file = try peers(), let peer = file.peer(named: name)
        else { return nil }
        return try parse(words, with: peer, of: file)
    }

    /// Parses words whose URL is the name of a peer; `nil` if they have no such URL.
    private static func parse(
        _ words: [String], with peer: PeerFile.Peer, of file: PeerFile
    ) throws -> (any ParsableCommand)? {
        for index in words.indices.dropFirst() where words[index] == peer.name {
            var words = words
            words[index] = peer.url
            let command = try? JSONRPCCommand.parseAsRoot(words)
            guard (command as? any URLCommand)?.url == peer.url else { continue }
            // The last value of an option counts, so those of the command line come last.
            words.insert(contentsOf: peer.words(besides: words), at: 1)
            do {
                return try JSONRPCCommand.parseAsRoot(words)
            } catch {
                throw UsageError(
                    "Could not use the peer '\(peer.name)' of \(file.path). \(JSONRPCCommand.message(for: error))")
            }
        }
        return nil
    }

    // MARK: Secrets

    /// Returns the words with `***` instead of secrets: header fields, credentials, the values of `--extra`, and the
    /// user names, passwords and queries of URLs.
    static func withoutSecrets(_ arguments: [String]) -> [String] {
        var option = ""
        return arguments.map { word in
            defer { option = isHeaderOption(word) ? "-H" : word }
            if let (flags, value) = headerGroup(word) {
                return "-\(flags.map { $0.dropFirst() }.joined())H\(withoutSecrets(value, of: "-H"))"
            }
            guard word.hasPrefix("--"), let mark = word.firstIndex(of: "=") else {
                return withoutSecrets(word, of: option)
            }
            return
                "\(word[...mark])\(withoutSecrets(String(word[word.index(after: mark)...]), of: String(word[..<mark])))"
        }
    }

    private static func withoutSecrets(_ word: String, of option: String) -> String {
        switch option {
        case "-H", "--header":
            if case .field(let field) = HeaderSource(argument: word) { return "\(field.name): ***" }
            return HeaderSource(argument: word) == .invalid ? "***" : word
        case "--bearer", "--user":
            if case .literal = SecretSource(word) { return "***" }
            return word
        case "--extra":
            return "\(word.prefix { $0 != "=" })=***"
        case "--proxy":
            return UsageText.shortProxy(word)
        default:
            return TargetURL.isURL(word) ? UsageText.shortURL(word) : word
        }
    }

    /// Whether the next word is a header field: `-H` or `-vH`.
    private static func isHeaderOption(_ word: String) -> Bool {
        word.hasPrefix("-") && word.dropFirst().drop { $0 == "v" } == "H"
    }

    /// Replaces the secrets in the process list, which other users can read: `***`, and blanks for the rest of a word.
    ///
    /// - Parameter arguments: `CommandLine.arguments` without the name of the program. That array keeps the secrets.
    static func hideSecrets(of arguments: [String]) {
        for (index, (word, shown)) in zip(arguments, withoutSecrets(arguments)).enumerated() where word != shown {
            guard let bytes = CommandLine.unsafeArgv[index + 1] else { return }
            let shown = Array(shown.utf8)
            for place in 0..<strlen(bytes) {
                bytes[place] = CChar(bitPattern: place < shown.count ? shown[place] : UInt8(ascii: " "))
            }
        }
    }

    // MARK: Words

    /// The prefix of a word that the parser would mistake for an option. Arguments of a process cannot contain it.
    private static let mark: Character = "\0"

    /// Returns the word as the user wrote it.
    static func unmarked(_ word: String) -> String {
        word.first == mark ? String(word.dropFirst()) : word
    }

    static let paramCommands: Set<String> = ["call", "notify", "bench"]

    /// Returns the words for the parser: negative numbers that can be params are marked, `-HName: value` is split, the
    /// words of each `--call` are joined, and `--as-batch` without a number gets a value.
    static func prepared(_ arguments: [String]) -> [String] {
        guard let name = arguments.first else { return [] }
        var words = [name]
        var rest = arguments.dropFirst()
        while let word = rest.popFirst() {
            if word == "--" { return words + [word] + rest }
            if name == "listen", word == "--call" || word.hasPrefix("--call=") {
                var call = word.hasPrefix("--call=") ? [String(word.dropFirst("--call=".count))] : []
                while let next = rest.first,
                    !next.hasPrefix("-") || isNegativeNumber(next) || next == CallOption.paramsOption
                {
                    call.append(next)
                    rest = rest.dropFirst()
                }
                words.append("--call")
                // If the method is missing, the parser reports it.
                if !call.isEmpty { words.append(call.joined(separator: String(CallOption.separator))) }
            } else if word == "--as-batch", rest.first.map({ Int($0) == nil }) ?? true {
                words += [word, AsBatchOption.absent]
            } else if paramCommands.contains(name), isNegativeNumber(word) {
                words.append(String(mark) + word)
            } else if let (flags, value) = headerGroup(word) {
                words += flags + ["-H", value]
            } else {
                words.append(word)
            }
        }
        return words
    }

    /// Splits `-HName: value` and `-vHName: value`. The parser would read them as a group of flags, and its message
    /// would repeat them, secrets included.
    private static func headerGroup(_ word: String) -> (flags: [String], value: String)? {
        let flags = word.dropFirst().prefix { $0 == "v" }
        let rest = word.dropFirst(1 + flags.count)
        guard word.hasPrefix("-"), rest.hasPrefix("H"), rest.count > 1, !rest.hasPrefix("H=") else { return nil }
        return (flags.map { "-\($0)" }, String(rest.dropFirst()))
    }

    /// Returns whether a word is a negative number. No option begins with a digit.
    private static func isNegativeNumber(_ word: String) -> Bool {
        let bytes = word.utf8
        return bytes.first == UInt8(ascii: "-") && bytes.dropFirst().first.map(FieldText.isDigit) ?? false
    }
}

enum UsageText {
    /// Returns the parser's message without secrets, with a suggestion if a similar command exists.
    static func text(_ message: String, _ arguments: [String]) -> String {
        var message = withoutSecrets(message.filter { $0 != "\0" })
        // All messages of the tool begin with its name.
        if message.hasPrefix("Error: ") { message = "jsonrpc: " + message.dropFirst("Error: ".count) }
        guard let name = arguments.first, !name.hasPrefix("-") else { return message }
        if !commandNames.contains(name) { return unknownCommand(name) }
        if name == "serve", arguments.contains(where: { $0.contains("://") }) {
            return message + "\nserve takes no URL. It serves WebSocket, not HTTP, at --host and --port."
        }
        guard CommandLineWords.paramCommands.contains(name), message.contains("Unknown option"),
            !message.contains("Did you mean")
        else { return message }
        return message + "\nTo send a param that begins with a dash, put -- before the params."
    }

    static var commandNames: [String] {
        JSONRPCCommand.configuration.subcommands.map { $0._commandName } + ["help"]
    }

    /// Returns the message for `help` with an unknown command, for which the parser would print the general help; `nil`
    /// for other command lines.
    static func unknownHelp(_ arguments: [String]) -> String? {
        guard arguments.first == "help", let name = arguments.dropFirst().first(where: { !$0.hasPrefix("-") }),
            !commandNames.contains(name)
        else { return nil }
        return unknownCommand(name)
    }

    private static func unknownCommand(_ name: String) -> String {
        let suggestion = SimilarWord.find(name, among: commandNames).map { " Did you mean '\($0)'?" } ?? ""
        return "jsonrpc: Unknown command '\(TerminalText.line(name))'.\(suggestion)\n"
            + "Run 'jsonrpc --help' for a list of commands."
    }

    /// Returns the text with the user names and passwords of URLs replaced by `***`.
    static func withoutSecrets(_ text: String) -> String {
        var output = ""
        var rest = text[...]
        while let separator = rest.firstRange(of: "://") {
            output += rest[..<separator.upperBound]
            rest = rest[separator.upperBound...]
            // A password can have quotes, so a quote is no end. A text behind one is rather hidden than shown.
            let authority = rest.prefix { !$0.isWhitespace && $0 != "/" }
            if let at = authority.lastIndex(of: "@") {
                output += "***"
                rest = rest[at...]
            }
        }
        return output + rest
    }

    /// Returns a URL whose user name, password, query and fragment are replaced by `***`.
    static func shortURL(_ url: String) -> String {
        let url = withoutSecrets(url)
        guard let mark = url.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return url }
        return "\(url[...mark])***"
    }

    /// Returns the URL of a proxy with all text before its host replaced by `***`, if it has a user name. The scheme of
    /// such a URL can be missing.
    static func shortProxy(_ url: String) -> String {
        guard let at = url.lastIndex(of: "@") else { return shortURL(url) }
        return shortURL("***\(url[at...])")
    }
}
