// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket

/// How to reach the peer, and how to talk to it: what all commands that connect have in common.
struct ConnectionOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp(
            "Send a header field in the opening handshake; repeatable. @file reads fields from a file, one on each line, "
                + "which keeps secrets out of the process list.", valueName: "name: value|@file"))
    var headerSources: [HeaderSource] = []

    @Option(name: .customLong("subprotocol"), help: "A WebSocket subprotocol to offer; repeatable, best first.")
    var subprotocols: [String] = []

    @Option(
        help: ArgumentHelp("Trust the certificates in this PEM file, and no others.", valueName: "file"),
        completion: .file())
    var cacert: String?

    @Option(help: ArgumentHelp("The client's certificate chain, PEM.", valueName: "file"), completion: .file())
    var cert: String?

    @Option(help: ArgumentHelp("The client certificate's private key, PEM.", valueName: "file"), completion: .file())
    var key: String?

    @Flag(help: "Do not check the server's certificate. For tests only.")
    var insecure = false

    @Option(
        help: ArgumentHelp(
            "The name that the server's certificate must be for, if not the URL's host.", valueName: "name"))
    var servername: String?

    @Option(
        help: ArgumentHelp(
            "An HTTP proxy, or none; by default as http_proxy, https_proxy, all_proxy and no_proxy say.",
            valueName: "url|none"))
    var proxy: String?

    @Option(help: ArgumentHelp("The time for name, TCP, TLS and opening handshake: 5, 0.5, 250ms.", valueName: "time"))
    var connectTimeout = TimeOption(duration: .seconds(10))

    @Option(
        help: ArgumentHelp(
            "The time limit: of the whole command for call, notify and discover, of each call for the other commands; "
                + "0 or none for no limit.", valueName: "time"))
    var timeout = TimeLimitOption(duration: .seconds(60))

    @Option(
        help: ArgumentHelp(
            "The time between two PINGs; none sends no PING, and does not find out that the peer is gone.",
            valueName: "time|none"))
    var pingInterval = TimeLimitOption(duration: .seconds(20))

    @Flag(help: "Offer permessage-deflate, so that the peer may compress what it sends.")
    var compression = false

    @Option(name: .customLong("jsonrpc"), help: "The jsonrpc member: 2.0, or none to leave it out.")
    var version = VersionOption.two

    @Option(
        name: .customLong("extra"),
        help: ArgumentHelp("A member beside params in each request; repeatable.", valueName: "name=value"))
    var extraMembers: [ExtraMemberOption] = []

    @Option(
        name: .customLong("answer"),
        help: ArgumentHelp(
            "Answer the peer's calls of a method with a result: JSON, or a word for a string; repeatable. Other calls "
                + "are answered with the error -32601.", valueName: "method=json"))
    var answers: [ExtraMemberOption] = []

    @Option(help: ArgumentHelp("The largest message to accept, in bytes.", valueName: "bytes"))
    var maxMessageSize = 64 << 20

    @Flag(name: .shortAndLong, help: "Show each message on standard error: --> sent, <-- received.")
    var verbose = false

    /// The header fields that were given in place.
    var headers: [HeaderOption] {
        headerSources.compactMap { source in
            if case .field(let field) = source { field } else { nil }
        }
    }

    func validate() throws {
        if headerSources.contains(.invalid) {
            throw ValidationError(
                "-H takes 'Name: value' or @FILE. The value is not repeated here: it may be a secret.")
        }
        if (cert == nil) != (key == nil) { throw ValidationError("--cert and --key go together.") }
        if insecure && cacert != nil { throw ValidationError("--insecure makes --cacert pointless: give one of them.") }
        if maxMessageSize < 1 { throw ValidationError("--max-message-size is at least 1.") }
        if connectTimeout.duration == .zero { throw ValidationError("--connect-timeout is more than 0.") }
        try Self.check(extraMembers, of: "--extra")
        try Self.check(answers, of: "--answer")
        for (index, answer) in answers.enumerated() where answers[..<index].contains(where: { $0.name == answer.name })
        {
            throw ValidationError("--answer \(answer.name) is given twice.")
        }
    }

    private static func check(_ members: [ExtraMemberOption], of option: String) throws {
        for member in members {
            do {
                _ = try ParamWords.value(member.value)
            } catch let error as UsageError {
                throw ValidationError("\(option) \(member.name): \(error)")
            }
        }
    }
}

/// A method and its params.
struct RequestArguments: ParsableArguments {
    @Argument(help: "The method to call.")
    var method: String

    @Argument(
        help: ArgumentHelp(
            "Params: each word is JSON, or a string by itself; name=value words make params by name.",
            valueName: "param"))
    var words: [String] = []

    @Option(
        name: .customLong("params"),
        help: ArgumentHelp(
            "All params at once: JSON, @file, or - for standard input.", valueName: "json|@file|-"),
        completion: .file())
    var paramsOption: String?

    func validate() throws {
        if paramsOption != nil && !words.isEmpty {
            throw ValidationError("Params are given as words or by --params, not both.")
        }
    }

    /// - Throws: ``UsageError``.
    func params() throws -> RawJSON? {
        if let paramsOption { return try ParamsOption(paramsOption).read() }
        return try ParamWords.params(words)
    }
}
