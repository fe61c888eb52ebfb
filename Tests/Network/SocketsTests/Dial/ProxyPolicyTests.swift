// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import Sockets

@Suite(.inTurn) struct ProxyPolicyTests {
    private func port(
        of policy: ProxyPolicy = .environment, for host: String = "h.example", port: UInt16 = 80,
        isSecure: Bool = false,
        _ variables: [String: String] = [:]
    ) throws -> UInt16? {
        try policy.proxy(
            forHost: URLHost(host[...]), port: port, isSecure: isSecure, environment: ProxyEnvironment(variables)
        )?.port
    }

    @Test func schemeChoosesTheVariable() throws {
        let variables = ["http_proxy": "p:1", "https_proxy": "p:2", "all_proxy": "p:3"]
        #expect(try port(variables) == 1)
        #expect(try port(isSecure: true, variables) == 2)
        #expect(try port(["https_proxy": "p:2", "all_proxy": "p:3"]) == 3)
        #expect(try port(isSecure: true, ["http_proxy": "p:1", "ALL_PROXY": "p:3"]) == 3)
        #expect(try port([:]) == nil)
    }

    @Test func lowerCaseTakesPrecedence() throws {
        #expect(try port(["http_proxy": "p:1", "HTTP_PROXY": "p:2"]) == 1)
        #expect(try port(["HTTP_PROXY": "p:2", "all_proxy": "p:3"]) == 2)
        #expect(try port(isSecure: true, ["HTTPS_PROXY": "p:2"]) == 2)
        #expect(try port(["http_proxy": "", "HTTP_PROXY": "p:2"]) == 2)
        #expect(try port(["http_proxy": "p:1", "no_proxy": "x", "NO_PROXY": "*"]) == 1)
    }

    @Test func upperCaseIsNotBelievedInACGIProgram() throws {
        #expect(try port(["HTTP_PROXY": "p:2", "REQUEST_METHOD": "GET"]) == nil)
        #expect(try port(["HTTP_PROXY": "p:2", "REQUEST_METHOD": "GET", "all_proxy": "p:3"]) == 3)
    }

    @Test(arguments: [
        ("h.example", "h.example", true), ("h.example", "H.Example", true), ("h.example", "example", true),
        ("h.example", ".example", true), ("h.example", "ample", false), ("h.example", "x.h.example", false),
        ("h.example", "a, h.example", true), ("h.example", "a h.example\tb", true), ("h.example", "*", true),
        ("h.example", "*.example", true), ("h.example.", "h.example", true), ("h.example", "h.example.", true),
        ("h.example", "h.example:80", true), ("h.example", "h.example:81", false), ("h.example", "", false),
        ("h.example", ",, .", false), ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "0.0.1", false),
        ("127.0.0.1", "127.0.0.1:80", true), ("127.0.0.1", "127.0.0.1:8", false), ("[::1]", "::1", true),
        ("[::1]", "0:0:0:0:0:0:0:1", true), ("[::1]", "[::1]", true), ("[::1]", "[::1]:80", true),
        ("[::1]", "[::1]:81", false), ("[::1]", "::2", false), ("localhost", "127.0.0.1", false),
    ])
    func noProxyExempts(_ host: String, _ list: String, _ isExempt: Bool) throws {
        #expect((try port(for: host, ["http_proxy": "p:1", "no_proxy": list]) == nil) == isExempt)
    }

    /// Defect 23.
    @Test(arguments: [
        ("h.example", "*.h.example", false), ("a.b.example", "*.example", true), ("hexample", "*.example", false),
        ("h.example", "*.example:80", true), ("h.example", "*.example:81", false), ("h.example", "*.", false),
        ("h.example", "*:80", true), ("h.example", "*:81", false), ("h.example", "h.*", false),
        ("h.example", ".example.", true), ("h.example", "*.EXAMPLE.", true), ("h.example", "h.example:+80", false),
        ("10.1.2.3", "10.0.0.0/8", true), ("11.1.2.3", "10.0.0.0/8", false), ("10.1.2.3", "10.9.9.9/8", true),
        ("192.168.5.130", "192.168.5.128/25", true), ("192.168.5.127", "192.168.5.128/25", false),
        ("192.168.7.1", "192.168.4.0/22", true), ("192.168.8.1", "192.168.4.0/22", false),
        ("10.1.2.3", "10.1.2.3/32", true), ("10.1.2.4", "10.1.2.3/32", false), ("1.2.3.4", "0.0.0.0/0", true),
        ("10.1.2.3", "10.0.0.0/33", false), ("10.1.2.3", "10.0.0.0/", false), ("10.1.2.3", "10.0.0.0/+8", false),
        ("10.1.2.3", "10.0.0.0/-1", false), ("10.1.2.3", "10.0.0/8", false), ("10.1.2.3", "/8", false),
        ("10.1.2.3", "10.0.0.0/99999999999999999999", false), ("10.1.2.3", "10.0.0.0/8:80", true),
        ("10.1.2.3", "10.0.0.0/8:81", false), ("h.example", "0.0.0.0/0", false), ("h.example", "h.example/8", false),
        ("[fd12::1]", "fd00::/8", true), ("[fe00::1]", "fd00::/8", false), ("[2001:db8::1]", "2001:db8::/33", true),
        ("[2001:db8:8000::1]", "2001:db8::/33", false), ("[::1]", "::1/128", true), ("[::2]", "::1/128", false),
        ("[::1]", "::/0", true), ("1.2.3.4", "::/0", false), ("[::1]", "0.0.0.0/0", false), ("[::1]", "::1/129", false),
        ("[fd12::1]", "[fd00::]/8", true), ("[fd12::1]", "[fd00::/8]:80", true), ("[fd12::1]", "[fd00::]/8:81", false),
        ("[fe80::1%25lo]", "fe80::/10", true), ("[::ffff:10.1.2.3]", "10.0.0.0/8", true),
        ("10.1.2.3", "::ffff:10.0.0.0/104", true), ("[::ffff:10.1.2.3]", "10.1.2.3", true),
        ("[::1]", "[::1", false), ("10.1.2.3", "x, 10.0.0.0/8", true),
    ])
    func noProxyKnowsBlocksAndPatterns(_ host: String, _ list: String, _ isExempt: Bool) throws {
        #expect((try port(for: host, ["http_proxy": "p:1", "no_proxy": list]) == nil) == isExempt)
    }

    @Test func explicitProxyIsNotExempted() throws {
        #expect(try port(of: .http("p:7"), ["no_proxy": "*"]) == 7)
        #expect(try port(of: .none, ["http_proxy": "p:1"]) == nil)
    }

    @Test func proxyURLIsRead() throws {
        let proxy = try HTTPProxy("HTTP://us%20er:p%40@[::1]:3128/ignored")
        #expect(proxy.host == .ipv6("::1", zone: nil))
        #expect(proxy.port == 3128)
        #expect(proxy.credentials == BasicCredentials(user: "us er", password: "p@"))
        #expect(try HTTPProxy("proxy.example").port == 1080)
    }

    @Test(arguments: ["socks5://h:1", "socks4a://h", "SOCKS://h", "https://h:3128", "ftp://h"])
    func otherKindsAreRefused(_ url: String) {
        let error = #expect(throws: SocketError.self) { try HTTPProxy(url) }
        #expect(error?.code == .unsupportedProxy)
    }

    @Test(arguments: ["http://", "http://h:x", "http://h\r\n", "h:0", "http://us%zz@h", "http://[::1"])
    func malformedIsRefused(_ url: String) {
        let error = #expect(throws: SocketError.self) { try HTTPProxy(url) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func exemptionComesBeforeTheProxysFaults() throws {
        #expect(try port(["http_proxy": "socks5://h", "no_proxy": "h.example"]) == nil)
    }

    /// Defect 22: for the first of these, the message contained its password, as a "kind" of proxy.
    @Test(arguments: [
        "user:secret@h://x", "user:pa://secret@h", "http://user:secret@[::1", "http://user:secret@h:x",
        "http://user:secret@h@x", "http://user:se cret@h", "secret://h", "http://user:1/secret@h", "user:secret@h:",
        "http://user:secret^@h", "http://secret%zz@h",
    ])
    func passwordIsNotTold(_ url: String) {
        let error = #expect(throws: SocketError.self) { try HTTPProxy(url) }
        #expect(error.map { "\($0)".lowercased().contains("secret") } == false)
    }

    /// With a raw slash in the password, these named another host, which got half of the password.
    @Test(arguments: [
        "http://user:1/secret@proxy", "user:80?x@proxy", "http://user:1#x@proxy:3128", "http:/proxy:3128", "http:",
        "proxy:", "http://us@er@proxy", "http://.proxy", "http://127.1:3128", "http://h\\@evil", "1http://proxy",
        "://proxy",
    ])
    func misleadingProxyIsRefused(_ url: String) {
        let error = #expect(throws: SocketError.self) { try HTTPProxy(url) }
        #expect(error?.code == .invalidConfiguration)
    }

    /// Defect 22: the description of a policy contains no password.
    @Test func descriptionHasNoPassword() {
        #expect("\(ProxyPolicy.http("http://user:secret@h:3128"))" == "http://h:3128")
        #expect("\(ProxyPolicy.http("user:secret@h:x"))" == "an unusable proxy URL")
        #expect("\(ProxyPolicy.environment) \(ProxyPolicy.none)" == "environment none")
    }
}

extension ProxyEnvironment {
    init(_ variables: [String: String]) { self.init { variables[$0] } }
}
