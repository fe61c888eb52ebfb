// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// Messages name the tool's options, not the library's, and say each thing once.
@Suite(.inTurn(within: .seconds(90))) struct ToolWordsTests {
    // MARK: Connecting

    @Test func anAddressThatRefusesIsNamedOnce() async throws {
        let run = try await ToolRun.run(["call", "ws://127.0.0.1:1/", "m", "--proxy", "none"])
        #expect(run.status == 3)
        #expect(run.diagnostics == "jsonrpc: Could not connect to 127.0.0.1:1: Connection refused.\n")
    }

    @Test func certificatesNameTheToolsOptionsOnly() async throws {
        let certificates = try await Certificates.shared()
        try await ToolRun.withServer(identity: certificates[.server]) { url in
            let run = try await ToolRun.run(["call", url, "add"])
            #expect(run.status == 3)
            #expect(run.diagnostics.contains("--cacert") && !run.diagnostics.contains("TLSConfiguration"))
        }
        try await ToolRun.withServer(identity: certificates[.wrongHost]) { url in
            let run = try await ToolRun.run(["call", url, "add", "--cacert", certificates.authority])
            #expect(run.diagnostics.contains("--servername") && !run.diagnostics.contains("TLSConfiguration"))
        }
    }

    @Test(arguments: ["--cacert", "--cert"]) func aMissingFileIsRefusedWithoutTLSToo(_ option: String) async throws {
        let key = option == "--cert" ? ["--key", "/nonexistent/f"] : []
        let run = try await ToolRun.run(["call", "ws://127.0.0.1:1/", "m", option, "/nonexistent/f"] + key)
        #expect(run.status == 2)
        #expect(run.diagnostics == "jsonrpc: Could not open /nonexistent/f: No such file or directory.\n")
    }

    @Test(arguments: ["ws", "http"]) func aUnicodeHostLeadsToTheXNForm(_ scheme: String) async throws {
        let run = try await ToolRun.run(["call", "\(scheme)://b\u{FC}cher.localhost:1/", "m"])
        #expect(run.status == 2)
        #expect(run.diagnostics.contains("xn--") && !run.diagnostics.contains("percent-encoded"))
    }

    @Test func aSubprotocolThatWasNotOfferedIsNamed() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade(adding: ["Sec-WebSocket-Protocol: graphql-ws"])
            _ = try? socket.readToEnd()
        }
        let run = try await ToolRun.run(["call", peer.url, "m"])
        #expect(run.status == 3)
        #expect(run.diagnostics.contains(#""graphql-ws", but none was offered"#))
        #expect(run.diagnostics.contains("--subprotocol"))
        _ = try await peer.outcome()
    }

    // MARK: Schemes

    @Test func aServerWithAnotherProtocolLeadsToAnotherScheme() async throws {
        let http = try HTTPScripts.server(answering: HTTPScripts.response("405 Method Not Allowed", body: ""))
        let socket = try await ToolRun.run(["call", "ws://\(http.authority)/", "m"])
        #expect(socket.status == 3)
        #expect(socket.diagnostics.contains("use an http:// URL."), "\(socket.diagnostics)")
        let hasty = try RawHTTPServer { try $0.socket.send("HTTP/1.1 400 Bad Request\r\n\r\n") }
        let tls = try await ToolRun.run(["call", "wss://\(hasty.authority)/", "m"])
        #expect(tls.status == 3)
        #expect(tls.diagnostics.contains("use a ws:// URL."), "\(tls.diagnostics)")
        try await ToolRun.withServer { url in
            let address = url.dropFirst("ws://".count)
            let post = try await ToolRun.run(["call", "http://\(address)", "m"])
            #expect(post.status == 3)
            #expect(post.diagnostics.contains("use a ws:// URL."), "\(post.diagnostics)")
            #if AsyncHTTPClient
                let secure = try await ToolRun.run(["call", "https://\(address)", "m"])
                #expect(secure.status == 3)
                #expect(secure.diagnostics.contains("use an http:// URL."), "\(secure.diagnostics)")
                #expect(!secure.diagnostics.contains("SSL"))
            #endif
        }
    }

    @Test func aServerWithTLSLeadsToTheSchemeWithTLS() async throws {
        try await ToolRun.withServer(identity: try await Certificates.shared()[.server]) { url in
            let address = url.dropFirst("wss://".count)
            let socket = try await ToolRun.run(["call", "ws://\(address)", "m"])
            #expect(socket.status != 0)
            #expect(socket.diagnostics.contains("use a wss:// URL."), "\(socket.diagnostics)")
            let post = try await ToolRun.run(["call", "http://\(address)", "m"])
            #expect(post.status != 0)
            // URLSession may only see that the server has reset the connection.
            #if AsyncHTTPClient
                #expect(post.diagnostics.contains("use an https:// URL."), "\(post.diagnostics)")
            #endif
        }
    }

    @Test func aRefusalThatIsMeantGetsNoAdviceAboutTheScheme() async throws {
        let server = try HTTPScripts.server(answering: HTTPScripts.response("401 Unauthorized", body: "no"))
        for scheme in ["ws", "http"] {
            let run = try await ToolRun.run(["call", "\(scheme)://\(server.authority)/", "m"])
            #expect(run.status == 3)
            #expect(!run.diagnostics.contains("://"), "\(run.diagnostics)")
        }
    }

    // MARK: Calls

    @Test func messagesHoldNoIDsOfRequests() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            _ = try socket.readFrame()
            socket.close()
        }
        let run = try await ToolRun.run(["call", peer.url, "m"])
        #expect(run.status == 5)
        #expect(run.diagnostics.contains("The peer may have received the request."))
        #expect(!run.diagnostics.contains("Request id"))
        _ = try await peer.outcome()
    }

    @Test func aSilentPeerIsLostAfterThePingTimeout() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            _ = try? socket.readToEnd()
        }
        let run = try await ToolRun.run([
            "listen", peer.url, "--ping-interval", "50ms", "--ping-timeout", "50ms",
        ])
        #expect(run.status == 5)
        #expect(run.diagnostics.contains("The peer sent nothing within 0.1 seconds."))
        #expect(run.diagnostics.contains("--ping-timeout") && run.diagnostics.contains("--ping-interval none"))
        #expect(!run.diagnostics.contains("pingInterval"))
        _ = try await peer.outcome()
    }

    @Test func resultsThatCannotBeReadAreDescribedInWords() async throws {
        let listener = try await JSONRPCListener.listen { session in
            session.handle("rpc.discover") { ["no": "document"] }
        }
        let run = try await ToolRun.run(["discover", listener.url])
        #expect(run.status == 6)
        #expect(run.diagnostics.hasPrefix("jsonrpc: The result of `rpc.discover` is not a valid OpenRPC document."))
        #expect(!run.diagnostics.contains("Error"))
        await listener.stop()
        let comparison = try await ToolRun.run(
            ["bench", listener.url, "m", "--requests", "1", "--compare", "/dev/stdin"], input: "{}")
        #expect(comparison.status == 2)
        #expect(!comparison.diagnostics.contains("DecodingError"), "\(comparison.diagnostics)")
        let replay = try await ToolRun.run(["replay", "/nonexistent/r.jsonl"])
        #expect(replay.status == 2)
        #expect(replay.diagnostics.contains("could not open the file: No such file or directory"))
    }

    // MARK: Command lines

    @Test(arguments: [["help", "nope"], ["help", "cal"], ["nope"], ["call"], ["call", "ws://h", "m", "--bogus"]])
    func everyMessageBeginsWithTheNameOfTheTool(_ arguments: [String]) async throws {
        let run = try await ToolRun.run(arguments)
        #expect(run.status == 2)
        #expect(run.output == "")
        #expect(run.diagnostics.hasPrefix("jsonrpc: "), "\(run.diagnostics)")
    }

    @Test func helpOfACommandIsStillHelp() async throws {
        #expect(try await ToolRun.run(["help"]).status == 0)
        let run = try await ToolRun.run(["help", "call"])
        #expect(run.status == 0)
        #expect(run.output.contains("Call a method and print its result."))
    }

    // MARK: The embedded server

    @Test func callbackRefusesParamsThatAreNotStructured() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["call", url, "callback", "hello", "1", "--compact"])
            #expect(run.status == 1)
            #expect(run.diagnostics.contains("-32602") && run.diagnostics.contains("'params'"))
            let name = try await ToolRun.run(["call", url, "callback", #""\ud800""#])
            #expect(name.diagnostics.contains("-32602"))
        }
    }

    // MARK: Names of methods

    @Test func namesComeFromTheListIfThereIsNoDocument() async throws {
        let listener = try await JSONRPCListener.listen { session in
            session.handle("system.listMethods") { ["b.two", "a\u{1B}[2J", "b.one"] }
        }
        let run = try await ToolRun.run(["discover", listener.url])
        #expect(run.status == 0)
        #expect(run.output == "b.two\na\\x1b[2J\nb.one\n")
        #expect(run.diagnostics.contains("system.listMethods"))
        #expect(try await ToolRun.run(["discover", listener.url, "--json"]).status == 1)
        let prompt = try await ToolRun.run(["connect", listener.url], input: ":methods b.\n")
        #expect(prompt.output == "b.two\nb.one\n")
        await listener.stop()

        let silent = try await JSONRPCListener.listen { _ in }
        let none = try await ToolRun.run(["discover", silent.url])
        #expect(none.status == 1)
        #expect(none.diagnostics.contains("neither rpc.discover nor system.listMethods"))
        let methods = try await ToolRun.run(["connect", silent.url], input: ":methods\n")
        #expect(methods.output.contains("neither a usable rpc.discover nor system.listMethods"))
        await silent.stop()
    }
}
