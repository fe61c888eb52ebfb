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
        var asking: Task<Void, Never>?
    }

    /// The time limit for the document: 5 seconds.
    static let timeLimit = Duration.seconds(5)

    private let state = Mutex(State())

    init(history: [String] = []) {
        for line in history { noteCall(in: line) }
    }

    var names: [String] { state.withLock { $0.described.isEmpty ? $0.called : $0.described } }

    /// Returns whether the peer names this method in its description.
    func describes(_ name: String) -> Bool { state.withLock { $0.described.contains(name) } }

    /// Adds the method of a line.
    func noteCall(in line: String) {
        let name = String(line.prefix { !$0.isWhitespace })
        guard MethodNames.isUsable(name) else { return }
        state.withLock { state in
            guard state.called.count < MethodNames.maximumCount, !state.called.contains(name) else { return }
            state.called.append(name)
        }
    }

    /// Asks the peer for its document, or for the names alone, unless they are known, and returns when it has answered.
    /// Many peers have neither, so a failure is silent.
    func ask(_ client: JSONRPCClient) async {
        let asking = state.withLock { state in
            if let asking = state.asking { return asking }
            let asking = Task {
                if !(await learn(from: client)) {
                    // The next `:methods` asks again.
                    self.state.withLock { $0.asking = nil }
                }
            }
            state.asking = asking
            return asking
        }
        await asking.value
    }

    /// Returns whether the peer described its methods.
    private func learn(from client: JSONRPCClient) async -> Bool {
        func answer(_ method: String) async throws -> RawJSON {
            try await client.callRaw(
                method, params: nil, timeout: .after(Self.timeLimit), options: CallOptions())
        }
        do {
            if read(try await answer(MethodNames.documentMethod)) { return true }
        } catch is ErrorObject {
            // The peer is there, but has no document.
        } catch {
            return false
        }
        guard let list = try? await answer(MethodNames.listMethod), case let names = MethodNames.readList(list),
            !names.isEmpty
        else { return false }
        state.withLock { $0.described = names }
        return true
    }

    func stopAsking() { state.withLock { $0.asking }?.cancel() }

    private func read(_ document: RawJSON) -> Bool {
        let names = MethodNames.read(document)
        guard !names.isEmpty else { return false }
        var lines: [String: String] = [:]
        for method in (try? OpenRPCDocument(parsing: Array(document.bytes)))?.methods ?? [] {
            lines[method.name] = method.line
        }
        state.withLock { [lines] in ($0.described, $0.lines) = (names, lines) }
        return true
    }

    /// Returns a line for each method that contains a text.
    func list(containing part: String, on console: Console) async -> String {
        await ask(console.session.client)
        let (described, lines) = state.withLock { ($0.described, $0.lines) }
        if described.isEmpty {
            return "The peer does not describe its methods: it has neither a usable rpc.discover nor "
                + "system.listMethods."
        }
        let found = described.filter { part.isEmpty || $0.lowercased().contains(part.lowercased()) }
        return found.isEmpty
            ? "No method contains '\(TerminalText.line(part))'."
            : found.map { lines[$0] ?? $0 }.joined(separator: "\n")
    }
}
