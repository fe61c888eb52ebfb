// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

/// Options of the tool over HTTP, and secrets that must not be shown.
@Suite(.inTurn(within: .seconds(60))) struct ToolHTTPOptionTests {
    // MARK: Header fields

    @Test func headerFieldsAreSentWithEachPOST() async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "fields").path(percentEncoded: false)
        try Data("X-File: from file\n".utf8).write(to: URL(filePath: path))
        let server = try HTTPScripts.service()
        let run = try await ToolRun.run([
            "call", server.url, "echo", "-H", "Authorization: Bearer a:b", "-HX-Two: 1", "-H", "X-Two: 2", "-H",
            "@\(path)", "-H", "Accept: application/json-rpc",
        ])
        #expect(run.status == 0)
        let head = try #require(server.heads.elements.first)
        #expect(RawSocket.field("Authorization", in: head) == "Bearer a:b")
        #expect(RawSocket.field("X-File", in: head) == "from file")
        #expect(RawSocket.field("Accept", in: head) == "application/json-rpc")
        #if AsyncHTTPClient
            #expect(head.contains("X-Two: 1\r\n"))
            #expect(head.contains("X-Two: 2\r\n"))
        #else
            #expect(RawSocket.field("X-Two", in: head) == "1,2", "\(head)")
        #endif
    }

    @Test func aUserNameInTheURLIsSentAsBasicCredentials() async throws {
        let server = try HTTPScripts.service()
        let url = "http://user:p%40ss@\(server.authority)/rpc?a=b#part"
        let run = try await ToolRun.run(["call", url, "echo", "-v"])
        #expect(run.status == 0)
        #expect(!run.diagnostics.contains("p%40ss"))
        let head = try #require(server.heads.elements.first)
        #expect(head.hasPrefix("POST /rpc?a=b HTTP/1.1\r\n"))
        #expect(RawSocket.field("Authorization", in: head) == "Basic dXNlcjpwQHNz")
    }

    @Test func secretsAreNotShown() async throws {
        let server = try HTTPScripts.server(answering: HTTPScripts.response("401 Who", body: "who"))
        let secrets = ["-H", "Authorization: Bearer s3cret", "-H", "X-Mine: s3cret", "-H", "Cookie: a=s3cret"]
        let url = "http://user:s3cret@\(server.authority)/rpc?token=s3cret"
        for arguments in [["call", url, "m", "-v"], ["batch", url, "-v"]] {
            let run = try await ToolRun.run(arguments + secrets, input: #"{"method":"m"}"#)
            #expect(run.status == 3)
            #expect(!(run.output + run.diagnostics).contains("s3cret"))
        }
        let head = try #require(server.heads.elements.first)
        #expect(RawSocket.field("Authorization", in: head) == "Bearer s3cret")
        for url in ["http://user:s3cret@127.0.0.1:1/", "http://user:s3cret@ho st/", "http://a:s3cret@b@c/"] {
            let run = try await ToolRun.run(["batch", url], input: #"{"method":"m"}"#)
            #expect([2, 3].contains(run.status))
            #expect(!(run.output + run.diagnostics).contains("s3cret"))
        }
    }

    @Test(arguments: ["Content-Length: 3", "host: other", "A\u{7F}: s3cret", "A: s3cret\r\nB: c", "Ä: s3cret"])
    func fieldsThatCannotBeSentAreRefused(_ field: String) async throws {
        let run = try await ToolRun.run(["call", "http://127.0.0.1:1/", "m", "-H", field])
        #expect(run.status == 2)
        #expect(run.diagnostics.hasPrefix("jsonrpc: Could not use "))
        #expect(!run.diagnostics.contains("s3cret"))
    }

    // MARK: Options without a meaning

    #if AsyncHTTPClient
        private static let noSuchFile = "Could not open /nonexistent.pem"
    #else
        private static let noSuchFile = "--cacert cannot be used with an HTTP URL"
    #endif

    @Test(arguments: [
        (["call", "http://127.0.0.1:1/", "m", "--subprotocol", "mcp"], "--subprotocol"),
        (["call", "http://127.0.0.1:1/", "m", "--ping-interval", "20"], "--ping-interval"),
        (["notify", "https://127.0.0.1:1/", "m", "--compression"], "--compression"),
        (["call", "http://127.0.0.1:1/", "m", "--engine", "libwebsockets"], "--engine"),
        (["call", "ws://h", "m", "--engine", "libwebsockets", "--compression"], "--compression cannot be used with"),
        (["serve", "--engine", "libwebsockets", "--unix", "p"], "--unix cannot be used with --engine libwebsockets."),
        (["serve", "--engine", "libwebsockets", "--compression"], "--compression cannot be used with --engine"),
        (["replay", "/dev/null", "--engine", "libwebsockets", "--unix", "p"], "--unix cannot be used with --engine"),
        (["record", "ws://h", "/dev/null", "--engine", "libwebsockets", "--unix", "p"], "--unix cannot be used with"),
        (["batch", "http://127.0.0.1:1/", "--answer", "a=1", "--servername", "b"], "--answer, --servername"),
        (["batch", "HTTP://127.0.0.1:1/", "--notifications"], "--notifications"),
        (["listen", "http://127.0.0.1:1/"], "listen needs a WebSocket"),
        (["bench", "ws://127.0.0.1:1/", "m", "--requests", "1", "--as-batch", "2"], "--as-batch"),
        (["serve", "http://127.0.0.1:1/"], "serve takes no URL"),
        (["call", "ftp://127.0.0.1/", "m"], "http://"),
        (["call", "http://127.0.0.1:1/", "m", "--cacert", "/nonexistent.pem"], noSuchFile),
        (["call", "http:///path", "m"], "no host"),
        (["call", "http://127.0.0.1:99999/", "m"], "port"),
    ])
    func anOptionThatCannotWorkIsAUsageError(_ arguments: [String], _ part: String) async throws {
        let run = try await ToolRun.run(arguments)
        #expect(run.status == 2)
        #expect(run.output == "")
        #expect(run.diagnostics.contains(part), "\(run.diagnostics)")
    }

    @Test func theVersionsNameTheLibraries() async throws {
        let lines = try await ToolRun.run(["--version"]).output.split(separator: "\n")
        try #require(lines.count == 3)
        #expect(lines[0].wholeMatch(of: /jsonrpc [0-9]+\.[0-9]+\.[0-9]+ \(HTTP with [A-Za-z]+\)/) != nil)
        #expect(lines[1].prefixMatch(of: /libwebsockets [0-9]+\.[0-9]+/) != nil)
        #expect(lines[2].prefixMatch(of: /OpenSSL [0-9]+\.[0-9]+/) != nil)
        #if AsyncHTTPClient
            #expect(lines[0].hasSuffix(" (HTTP with AsyncHTTPClient)"))
        #else
            #expect(lines[0].hasSuffix(" (HTTP with URLSession)"))
            #expect(try await ToolRun.run(["--help"]).output.contains("trusted servers only"))
        #endif
    }

    #if AsyncHTTPClient
        // MARK: TLS

        /// The tool's server supports only WebSocket, so it answers a POST with an error status.
        @Test func certificatesAreOptions() async throws {
            let certificates = try await Certificates.shared()
            try await ToolRun.withServer(identity: certificates[.server]) { url in
                let url = "https" + url.dropFirst("wss".count)
                let known = try await ToolRun.run(["call", url, "m", "--cacert", certificates.authority])
                #expect(known.status == 3)
                #expect(known.diagnostics.contains("The server answered with status 4"), "\(known.diagnostics)")
                let insecure = try await ToolRun.run(["call", url, "m", "--insecure"])
                #expect(insecure.diagnostics.contains("The server answered with status 4"))
                let other = try await ToolRun.run(["call", url, "m", "--cacert", certificates.otherAuthority])
                #expect(other.diagnostics.hasSuffix("The TLS connection failed: certificate verify failed.\n"))
                let unknown = try await ToolRun.run(["call", url, "m"])
                #expect(unknown.status == 3)
                #expect(
                    unknown.diagnostics
                        == "jsonrpc: Could not connect. The TLS connection failed: certificate verify failed. If you "
                        + "trust the issuer of the server's certificate, give that certificate with --cacert.\n")
                let key = certificates[.server].key
                let unreadable = try await ToolRun.run(["call", url, "m", "--cacert", key])
                #expect(unreadable.status == 2)
                #expect(unreadable.diagnostics.hasPrefix("jsonrpc: Could not read the certificates in the file"))
            }
        }

        @Test func aCertificateForAnotherNameIsRefused() async throws {
            let certificates = try await Certificates.shared()
            try await ToolRun.withServer(identity: certificates[.wrongHost]) { url in
                let url = "https" + url.dropFirst("wss".count)
                let run = try await ToolRun.run(["call", url, "m", "--cacert", certificates.authority])
                #expect(run.status == 3)
                #expect(
                    run.diagnostics
                        == "jsonrpc: Could not connect. The TLS connection failed: the server's certificate is for "
                        + "another host. Use a URL with a host that the certificate names.\n")
            }
        }

        @Test func aRefusedConnectionIsNamedByTheSystem() async throws {
            let run = try await ToolRun.run(["call", "http://127.0.0.1:1/", "m"])
            #expect(run.diagnostics == "jsonrpc: Could not connect to 127.0.0.1:1: Connection refused.\n")
            let unknown = try await ToolRun.run(["call", "http://no-such-host.invalid:80/", "m", "--proxy", "none"])
            #expect(unknown.status == 3)
            #expect(unknown.diagnostics.hasPrefix("jsonrpc: Could not connect to no-such-host.invalid:80: "))
            #expect(!unknown.diagnostics.contains("SocketAddress"))
        }

        @Test func aServerWithoutTLSIsACouldNotConnect() async throws {
            let server = try RawHTTPServer { try $0.socket.send("HTTP/1.1 400 Bad\r\n\r\n") }
            let run = try await ToolRun.run(["call", "https://\(server.authority)/", "m"])
            #expect(run.status == 3)
            #expect(run.diagnostics.hasPrefix("jsonrpc: Could not connect. "))
        }

        // MARK: Time

        @Test func theTimeLimitForConnectingIsAnOption() async throws {
            // The TLS handshake is never answered.
            let server = try RawHTTPServer { $0.waitForEnd() }
            let run = try await ToolRun.run([
                "call", "https://\(server.authority)/", "m", "--connect-timeout", "100ms",
            ])
            #expect(run.status == 3)
            #expect(run.diagnostics.contains("Raise --connect-timeout to wait longer."))
        }

        // MARK: Proxies

        @Test func aProxyIsAskedForATunnel() async throws {
            let server = try HTTPScripts.service()
            let proxy = try ProxyServer(.tunnel(authorization: "Basic dTpwdw=="))
            defer { proxy.stop() }
            let url = "http://rpc.example:\(server.port)/"
            let address = "http://u:pw@127.0.0.1:\(proxy.port)"
            let given = try await ToolRun.run(["call", url, "echo", "1", "--compact", "--proxy", address])
            #expect(given.output == "[1]\n", "\(given.diagnostics)")
            let environment = ["http_proxy": address, "no_proxy": ""]
            #expect(try await ToolRun.run(["call", url, "echo"], environment: environment).status == 0)
            #expect(proxy.requests.count == 2)
            #expect(proxy.requests.allSatisfy { $0.hasPrefix("CONNECT rpc.example:\(server.port) HTTP/1.1\r\n") })
            let direct = ["call", server.url, "echo"]
            #expect(try await ToolRun.run(direct + ["--proxy", "none"], environment: environment).status == 0)
            let exempt = environment.merging(["no_proxy": "127.0.0.0/8"]) { $1 }
            #expect(try await ToolRun.run(direct, environment: exempt).status == 0)
            #expect(proxy.requests.count == 2)
        }

        @Test func aProxyThatRefusesIsACouldNotConnect() async throws {
            let proxy = try ProxyServer(.answer(["HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"]))
            defer { proxy.stop() }
            let run = try await ToolRun.run([
                "call", "http://rpc.example/", "m", "--proxy", "http://u:s3cret@127.0.0.1:\(proxy.port)",
            ])
            #expect(run.status == 3)
            #expect(run.diagnostics.hasPrefix("jsonrpc: Could not connect. "))
            #expect(!run.diagnostics.contains("s3cret"))
        }
    #endif
}
