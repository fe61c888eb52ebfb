// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import ToolSupport

/// The options that all commands with a connection share.
struct SocketOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp(
            "Send this header field in the opening handshake, or with each HTTP request; repeatable. @file reads "
                + "fields from a file, one per line. name=@file and name=@env:variable read the value of one field from "
                + "a file or from the environment. All three keep secrets out of the shell's history.",
            valueName: "name: value|@file"))
    var headerSources: [HeaderSource] = []

    @Option(
        help: ArgumentHelp(
            "Send this bearer token (Authorization: Bearer). @file reads it from a file, @env:variable from the "
                + "environment. A token on the command line gets into the shell's history, and other users can see it in "
                + "the process list until the tool has started.",
            valueName: "token|@file"),
        completion: .file())
    var bearer: String?

    @Option(
        help: ArgumentHelp(
            "Send this user name and password (Basic), and answer an HTTP server that asks for Digest. @file and "
                + "@env:variable are as for --bearer. Without a password, the tool asks for it on the terminal. Both can "
                + "also be in the URL: wss://name:password@host/.",
            valueName: "name[:password]|@file"),
        completion: .file())
    var user: String?

    @Flag(help: "Send the password of --user only as the answer to a Digest challenge, never as it is (HTTP only).")
    var digest = false

    @Option(name: .customLong("subprotocol"), help: "Offer this WebSocket subprotocol; repeatable, preferred first.")
    var subprotocols: [String] = []

    @Option(
        help: ArgumentHelp(
            "Trust only the certificates in this PEM file. By default the system's are trusted.", valueName: "file"),
        completion: .file())
    var cacert: String?

    @Option(
        help: ArgumentHelp("Client certificate chain (PEM). Needs --key.", valueName: "file"), completion: .file())
    var cert: String?

    @Option(
        help: ArgumentHelp("Private key of the client certificate (PEM). Needs --cert.", valueName: "file"),
        completion: .file())
    var key: String?

    @Flag(help: "Do not verify the server's certificate. For tests only.")
    var insecure = false

    @Option(
        help: ArgumentHelp(
            "Name to verify in the certificate of a WebSocket server. The default is the host of the URL.",
            valueName: "name"))
    var servername: String?

    @Option(
        help: ArgumentHelp(
            "URL of an HTTP proxy, or none. The default comes from http_proxy, https_proxy, all_proxy and no_proxy.",
            valueName: "url|none"))
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Time limit for connecting, from name resolution to the handshake of WebSocket or TLS, in seconds or with a unit: 5, "
                + "0.5, 250ms.", valueName: "time"))
    var connectTimeout = TimeOption(duration: .seconds(10))

    @Option(
        name: .customLong("ping-interval"),
        help: ArgumentHelp(
            "Time between two PINGs of a WebSocket, in seconds or with a unit. With none, no PING is sent and an "
                + "unreachable peer is not detected. The default is 20.",
            valueName: "time|none"))
    var pingIntervalOption: TimeLimitOption?

    var pingInterval: TimeLimitOption { pingIntervalOption ?? TimeLimitOption(duration: .seconds(20)) }

    @Option(
        name: .customLong("ping-timeout"),
        help: ArgumentHelp(
            "Time for which the peer of a WebSocket may stay silent after a PING, in seconds or with a unit. Then the "
                + "connection counts as lost. The default is the time of --ping-interval.", valueName: "time"))
    var pingTimeoutOption: TimeOption?

    var pingTimeout: Duration { pingTimeoutOption?.duration ?? pingInterval.duration ?? .seconds(20) }

    @Flag(
        name: .customLong("no-coalescing"),
        help: ArgumentHelp(
            "Write each WebSocket message by itself, for peers that fail if one read returns several, such as Kodi 20. "
                + "By default, messages that wait together are written together."))
    var noCoalescing = false

    @OptionGroup var engineOptions: EngineOptions

    @Flag(help: "Offer permessage-deflate, so that the peer of a WebSocket may compress its messages.")
    var compression = false

    @Option(help: ArgumentHelp("Maximum size of a received message, in bytes.", valueName: "bytes"))
    var maxMessageSize = 64 << 20

    func validate() throws {
        if headerSources.contains(.invalid) {
            throw ValidationError(
                "-H must be 'Name: value', Name=@FILE, Name=@env:VARIABLE or @FILE. The given value is not shown, "
                    + "because it may be a secret.")
        }
        if bearer != nil, user != nil { throw ValidationError("Give --bearer or --user, not both.") }
        try OptionChecks.identity(cert: cert, key: key)
        try engineOptions.check(compression: compression)
        if insecure && cacert != nil {
            throw ValidationError("--insecure disables the verification that --cacert is for. Give only one of them.")
        }
        if maxMessageSize < 1 {
            throw ValidationError("--max-message-size must be at least 1 byte, not \(maxMessageSize).")
        }
        if connectTimeout.duration == .zero { throw ValidationError("--connect-timeout must be greater than 0.") }
        if pingTimeoutOption?.duration == .zero { throw ValidationError("--ping-timeout must be greater than 0.") }
        if pingTimeoutOption != nil, pingInterval.duration == nil {
            throw ValidationError("--ping-timeout needs PINGs, which --ping-interval none turns off.")
        }
    }
}

/// The options that all commands share that make or answer calls.
@dynamicMemberLookup
struct ConnectionOptions: ParsableArguments {
    @OptionGroup var socket: SocketOptions

    @Option(
        help: ArgumentHelp(
            "Time limit, in seconds or with a unit: 5, 250ms, 2m; 0 or none for no limit. It applies to the whole "
                + "command for call, notify, discover and describe, and to each call for other commands.",
            valueName: "time"))
    var timeout = TimeLimitOption(duration: .seconds(60))

    @Option(
        name: .customLong("jsonrpc"),
        help: "Version in the jsonrpc member. With none, the member is neither sent nor required.")
    var version = VersionOption.two

    @Option(
        name: .customLong("extra"),
        help: ArgumentHelp(
            "Add this member to each request, beside params; repeatable. The value is JSON, or a word that is sent as "
                + "a string.", valueName: "name=value"))
    var extraMembers: [ExtraMemberOption] = []

    @Option(
        name: .customLong("answer"),
        help: ArgumentHelp(
            "Answer the calls that the peer of a WebSocket makes of this method with this result; repeatable. The result is JSON, or a word that "
                + "is sent as a string. Calls of other methods are answered with error -32601, or by you at the prompt of connect.",
            valueName: "method=json"))
    var answers: [ExtraMemberOption] = []

    @Flag(
        name: .shortAndLong,
        help:
            "Print each message to standard error: --> sent, <-- received. Over HTTP, also statuses and header fields.")
    var verbose = false

    subscript<Value>(dynamicMember path: KeyPath<SocketOptions, Value>) -> Value { socket[keyPath: path] }

    func validate() throws {
        try Self.check(extraMembers, of: "--extra")
        try Self.check(answers, of: "--answer")
        for (index, answer) in answers.enumerated() where answers[..<index].contains(where: { $0.name == answer.name })
        {
            throw ValidationError("--answer is given twice for the method '\(answer.name)'. Give it once.")
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

struct RequestArguments: ParsableArguments {
    @Argument(help: "Name of the method.")
    var method: String

    @OptionGroup var arguments: ParamArguments

    func params() throws -> RawJSON? { try arguments.params() }
}

struct ParamArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A param: JSON, or a word that is sent as a string. name=value is a param by name.",
            valueName: "param"))
    var words: [String] = []

    @Option(
        name: .customLong("params"),
        help: ArgumentHelp(
            "All params in one JSON array or object: the JSON itself, @file, or - for standard input.",
            valueName: "json|@file|-"),
        completion: .file())
    var option: String?

    func validate() throws {
        if option != nil && !words.isEmpty {
            throw ValidationError("Give the params as words or with --params, not both.")
        }
    }

    func params() throws -> RawJSON? {
        try option.map { try ParamsOption($0).read() } ?? ParamWords.params(words)
    }
}
