// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import OpenRPC
import Synchronization
import ToolSupport

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

    static let timeLimit = Duration.seconds(5)

    private let state = Mutex(State())

    init(history: [String] = []) {
        for line in history { noteCall(in: line) }
    }

    var names: [String] { state.withLock { $0.described.isEmpty ? $0.called : $0.described } }

    /// Returns whether the peer names this method in its description.
    func describes(_ name: String) -> Bool { state.withLock { $0.described.contains(name) } }

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
    func list(containing part: String, _ client: JSONRPCClient) async -> String {
        await ask(client)
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

/// The names of methods in an OpenRPC document, or in a list of names, for completion.
///
/// The peer writes the document, so all parts that are not as expected are left out.
enum MethodNames {
    static let documentMethod = "rpc.discover"
    /// The method that returns names alone, which XML-RPC servers have introduced.
    static let listMethod = "system.listMethods"
    static let maximumDocumentBytes = 4 << 20
    static let maximumCount = 4096
    static let maximumNameBytes = 128

    /// Returns the names in the order of the document, without repetitions.
    static func read(_ document: RawJSON) -> [String] {
        guard document.bytes.count <= maximumDocumentBytes,
            let elements = try? value(of: "methods", in: document)?.elements()
        else { return [] }
        return usable(elements.lazy.compactMap { value(of: "name", in: $0) })
    }

    private static func value(of name: String, in object: RawJSON) -> RawJSON? {
        (try? object.namedMembers())?.last { $0.name == name }?.value
    }

    /// Returns the names in an array of names, in its order and without repetitions.
    static func readList(_ list: RawJSON) -> [String] {
        guard list.bytes.count <= maximumDocumentBytes, let elements = try? list.elements() else { return [] }
        return usable(elements)
    }

    private static func usable(_ values: some Sequence<RawJSON>) -> [String] {
        var names: [String] = []
        var known: Set<String> = []
        for value in values {
            guard names.count < maximumCount else { break }
            guard let name = try? value.decode(as: String.self), isUsable(name), known.insert(name).inserted else {
                continue
            }
            names.append(name)
        }
        return names
    }

    /// Returns whether a name can be typed as the first word of a line.
    static func isUsable(_ name: String) -> Bool {
        guard !name.isEmpty, name.utf8.count <= maximumNameBytes, let first = name.unicodeScalars.first else {
            return false
        }
        guard !":#{[\"".unicodeScalars.contains(first) else { return false }
        return name.unicodeScalars.allSatisfy {
            !TerminalText.isUnsafe($0) && !$0.properties.isWhitespace && $0 != "'"
        }
    }
}
