// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import ToolSupport

/// The lines that the prompt shows. All text of the peer is safe for a terminal.
struct ConsoleText: Sendable {
    var formatter: JSONFormatter

    /// The maximum length of a result on one line, in bytes of its text without colors: 72.
    static let maximumLineBytes = 72

    /// A result: `[1] 19  (0.8 ms)`, or its lines below `[1] (0.8 ms)`.
    func result(_ result: RawJSON, ofCall number: Int, after duration: Duration) -> String {
        let isShort = JSONFormatter(style: .compact).format(result).count <= Self.maximumLineBytes
        let text = isShort ? compact(result) : String(decoding: formatter.format(result), as: UTF8.self)
        let time = "(\(Self.time(duration)))"
        return text.utf8.contains(0x0A) ? "[\(number)] \(time)\n\(text)" : "[\(number)] \(text)  \(time)"
    }

    /// A failed call: `[1] error {"code":-32601,…}  (0.8 ms)`, or the reason why there is no response.
    func failure(_ failure: CallFailure, ofCall number: Int, after duration: Duration) -> String {
        if let json = failure.errorJSON {
            return "[\(number)] error \(compact(json))  (\(Self.time(duration)))"
        }
        return "[\(number)] \(TerminalText.line(failure.message))"
    }

    /// A notification: `<- tick {"subscription":1,"tick":1}`.
    func notification(_ notification: InboundNotification) -> String {
        "<- " + Self.head(notification.method) + params(notification.params)
    }

    /// A call of the peer, with the way to answer it.
    func peerCall(_ method: String, _ params: RawJSON?, _ treatment: PeerCallDesk.Treatment) -> String {
        let call = "\(Self.head(method))\(self.params(params))"
        switch treatment {
        case .rule(let result): return "<- call \(call)\n-> result \(compact(result)) by rule"
        case .hand(let number):
            return "<- call #\(number) \(call)\n   Answer with :answer \(number) JSON or :error \(number) CODE MESSAGE."
        case .refused: return "<- call \(call)\n-> refused with an error object"
        }
    }

    /// A call that waits for the user's answer.
    func waiting(_ number: Int, _ method: String, _ params: RawJSON?) -> String {
        "#\(number) \(Self.head(method))\(self.params(params))  waits for your answer"
    }

    func compact(_ json: RawJSON) -> String {
        var formatter = formatter
        formatter.style = .compact
        return String(decoding: formatter.format(json), as: UTF8.self)
    }

    private func params(_ params: RawJSON?) -> String { params.map { " " + compact($0) } ?? "" }

    /// The beginning of a method's name, on one line.
    private static func head(_ method: String) -> String { TerminalText.summary(method, maximumCharacters: 200) }

    /// A duration with three significant digits: `0.82 ms`, `1.25 s`.
    static func time(_ duration: Duration) -> String {
        let milliseconds = max(0, duration / .milliseconds(1))
        func digits(_ value: Double) -> String {
            DecimalText.fixed(value, digits: value < 10 ? 2 : value < 100 ? 1 : 0)
        }
        return milliseconds < 1000 ? "\(digits(milliseconds)) ms" : "\(digits(milliseconds / 1000)) s"
    }

    /// The prompt for a URL: `127.0.0.1:8080> `, and the path of a socket for `ws+unix:`.
    static func prompt(_ url: String) -> String {
        let authority: Substring
        if url.lowercased().hasPrefix("ws+unix:") || url.lowercased().hasPrefix("wss+unix:") {
            let path = url.drop { $0 != ":" }.dropFirst().prefix { $0 != "?" && $0 != ":" }
            authority = path.split(separator: "/").last ?? "unix"
        } else {
            let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
            let host = rest.prefix { $0 != "/" && $0 != "?" }
            // A password must not be on the screen.
            authority = host.lastIndex(of: "@").map { host[host.index(after: $0)...] } ?? host
        }
        return TerminalText.line(authority.prefix(40)) + "> "
    }
}
