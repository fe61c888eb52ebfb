// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

enum FanOutRoute: Sendable {
    /// They are submitted to this session.
    case session(DuplexSession)
    /// They are submitted to the current session of a client. Calls that are lost with it may be sent again.
    case client(ClientSupervisor)
    /// Each is made by a task: interceptors may suspend, and other callers take one call at a time.
    case tasks

    init(over caller: some JSONRPCCaller) {
        switch caller {
        case let session as DuplexSession where session.driver.interceptsNothing: self = .session(session)
        case let client as JSONRPCClient where client.configuration.calls.interceptors.isEmpty:
            self = .client(client.supervisor)
        default: self = .tasks
        }
    }

    /// The session that takes calls now. `nil` if tasks must make the calls, because they may have to wait for a
    /// connection.
    var session: DuplexSession? {
        switch self {
        case .session(let session): session
        case .client(let supervisor) where supervisor.reconnects:
            // A session that is closing refuses calls before the client notices.
            supervisor.readySessionNow.flatMap { $0.state == .open ? $0 : nil }
        case .client(let supervisor): supervisor.lastSession
        case .tasks: nil
        }
    }

    /// The number of calls that tasks may make at a time. A client without a connection refuses further calls.
    var roomWithoutSession: Int { repeater?.policy.disconnectedCalls.limit.map { max(1, $0) } ?? .max }

    /// The client that sends lost calls again.
    var repeater: ClientSupervisor? {
        if case .client(let supervisor) = self, supervisor.reconnects { supervisor } else { nil }
    }
}
