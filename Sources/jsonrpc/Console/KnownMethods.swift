// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import OpenRPC
import Synchronization

/// The methods of the peer, from its OpenRPC document, and those that were called before.
final class KnownMethods: Sendable {
    private struct State {
        /// The names in the document of the peer.
        var described: [String] = []
        /// The lines of `:methods`, by name.
        var lines: [String: String] = [:]
        /// The names in the history. They are used only if the peer has no document.
        var called: [String] = []
        /// Asks the peer for its document.
        var asking: Task<Void, Never>?
    }

    /// The time limit for the document: 5 seconds.
    static let timeLimit = Duration.seconds(5)

    private let state = Mutex(State())

    /// - Parameter history: Lines that were entered before.
    init(history: [String] = []) {
        for line in history { noteCall(in: line) }
    }

    /// The names for completion.
    var names: [String] { state.withLock { $0.described.isEmpty ? $0.called : $0.described } }

    /// Adds the method of a line.
    func noteCall(in line: String) {
        let name = String(line.prefix { !$0.isWhitespace })
        guard MethodNames.isUsable(name) else { return }
        state.withLock { state in
            guard state.called.count < MethodNames.maximumCount, !state.called.contains(name) else { return }
            state.called.append(name)
        }
    }

    /// Asks the peer for its document, unless it is known, and returns when it has answered. Many peers have none, so a
    /// failure is silent.
    func ask(_ client: JSONRPCClient) async {
        let asking = state.withLock { state in
            if let asking = state.asking { return asking }
            let asking = Task {
                let document = try? await client.callRaw(
                    "rpc.discover", params: nil, timeout: .after(Self.timeLimit), options: CallOptions())
                read(document)
            }
            state.asking = asking
            return asking
        }
        await asking.value
    }

    /// Ends the asking.
    func stopAsking() { state.withLock { $0.asking }?.cancel() }

    private func read(_ document: RawJSON?) {
        guard let document, case let names = MethodNames.read(document), !names.isEmpty else {
            // The next `:methods` asks again.
            return state.withLock { $0.asking = nil }
        }
        var lines: [String: String] = [:]
        for method in (try? OpenRPCDocument(parsing: Array(document.bytes)))?.methods ?? [] {
            lines[method.name] = method.line
        }
        state.withLock { [lines] in ($0.described, $0.lines) = (names, lines) }
    }

    /// Returns a line for each method that contains a text.
    func list(containing part: String, on console: Console) async -> String {
        await ask(console.session.client)
        let (described, lines) = state.withLock { ($0.described, $0.lines) }
        if described.isEmpty { return "The peer does not describe its methods: it has no usable rpc.discover." }
        let found = described.filter { part.isEmpty || $0.lowercased().contains(part.lowercased()) }
        return found.isEmpty
            ? "No method contains '\(TerminalText.line(part))'."
            : found.map { lines[$0] ?? $0 }.joined(separator: "\n")
    }
}
