// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// Reports on standard error how a client loses its connection and makes another one.
enum ConnectionReports {
    static func report(_ client: JSONRPCClient, _ context: CallFailure.Context) -> BackgroundTask {
        let events = client.events
        return Task {
            for await event in events {
                switch event {
                case .closed(let closure) where closure.initiator != .local:
                    say("The connection was lost: \(reason(closure)). A new connection follows.")
                case .connectFailed(let error, let delay?):
                    let failure = CallFailure(error, context)
                    say("\(failure.message) The next attempt begins after \(seconds(delay)) s.")
                default: continue
                }
            }
        }
    }

    private static func reason(_ closure: DuplexSession.Closure) -> String {
        if let error = closure.error { return TerminalText.line(CallFailure.text(error)) }
        let text = closure.reason.isEmpty ? "" : " (\(TerminalText.line(closure.reason)))"
        return "the peer closed it with code \(closure.code)\(text)"
    }

    /// Returns a time with one decimal place.
    private static func seconds(_ duration: Duration) -> String {
        let tenths = Int(min(duration / .milliseconds(100), 1e9).rounded(.up))
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func say(_ text: String) { OutputStream.diagnostics.say("jsonrpc: \(text)") }
}
