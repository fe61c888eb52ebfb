// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
import Synchronization
import TaskWaits

/// Refusing connections, and waiting for connections and their ends.
///
/// The last four parameters are the place that a ``ScriptFailure`` names: leave them out.
extension ScriptedPeer {
    /// The error of an attempt to connect that the peer refuses. Another attempt may succeed.
    public struct ConnectionRefused: ConnectError, Hashable, CustomStringConvertible {
        public var isRetryable: Bool { true }
        public var description: String { "The scripted peer refused the connection." }
    }

    /// Refuses attempts to connect, as a server that is down does: those of the connectors of this peer throw
    /// ``ConnectionRefused``.
    ///
    /// - Parameter count: The number of attempts that fail from now on. Zero ends the refusal.
    public func refuseConnections(_ count: Int) { state.withLock { $0.refusals = max(0, count) } }

    /// Returns the receiver of one connection, unless the attempt is refused.
    func accept() throws -> any MessageReceiver {
        try state.withLock { state in
            guard state.refusals > 0 else { return }
            state.refusals -= 1
            throw ConnectionRefused()
        }
        return receiver
    }

    /// Waits until there is a connection.
    ///
    /// - Parameters:
    ///   - number: The number of the connection, counted from 1 over the life of this peer. The default is 1.
    ///   - fileID: The module and file of the call.
    ///   - filePath: The path of the file of the call.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Throws: ``ScriptFailure`` or `CancellationError`.
    public func expectConnection(
        _ number: Int = 1, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) async throws {
        guard try await wait(until: { $0.connections >= number }) else {
            throw ScriptFailure(
                expected: "connection \(number)",
                instead: "the number of connections after \(patience) was \(connectionCount)",
                at: .init(fileID: fileID, filePath: filePath, line: line, column: column))
        }
    }

    /// Waits until a connection has ended.
    ///
    /// - Parameters:
    ///   - number: The number of the end, counted from 1 over the life of this peer. The default is 1.
    ///   - fileID: The module and file of the call.
    ///   - filePath: The path of the file of the call.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Returns: The end of the connection.
    /// - Throws: ``ScriptFailure`` or `CancellationError`.
    @discardableResult
    public func expectClosure(
        _ number: Int = 1, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) async throws -> TransportClosure {
        guard try await wait(until: { $0.closures >= number }),
            let closure = state.withLock({ $0.closures.dropFirst(number - 1).first })
        else {
            throw ScriptFailure(
                expected: "the end of connection \(number)", instead: "it was open after \(patience)",
                at: .init(fileID: fileID, filePath: filePath, line: line, column: column))
        }
        return closure
    }

    /// Checks that every message was taken. It does not wait, so call it when the connection has ended.
    ///
    /// - Throws: ``ScriptFailure`` if a message is left.
    public func expectNothingMore(
        fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) throws {
        guard let message = untaken.first else { return }
        throw ScriptFailure(
            expected: "nothing more", instead: "received \(message.shownText)",
            at: .init(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Waits until a condition on the counts of connections and closures holds.
    ///
    /// - Returns: `false` if it does not hold within ``patience``.
    private func wait(
        until isMet: @escaping @Sendable ((connections: Int, closures: Int)) -> Bool
    ) async throws -> Bool {
        let wait = state.withLock { $0.waits.add(isMet) }
        notifyObservers()
        after(patience) { wait.resume(returning: false) }
        defer { state.withLock { $0.waits.remove(wait) } }
        return try await wait.value()
    }

    /// Resumes the tasks whose condition on connections and closures now holds.
    func notifyObservers() {
        state.withLock { $0.waits.takeMet(by: ($0.connections, $0.closures.count)) }.resume(returning: true)
    }
}
