// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import WireJSON

extension PeerScript {
    /// The side of a recorded session that a replay plays.
    public enum ReplayRole: Sendable, Hashable {
        /// The peer of the session that was recorded: sends the received messages, and expects the sent messages.
        case server
        /// The session that was recorded: sends the sent messages, and expects the received messages.
        case client
    }

    /// The comparison of messages with the recorded messages.
    public enum ReplayMatching: Sendable, Hashable {
        /// Messages are equal as JSON, apart from the ids that the other side has chosen.
        case values
        /// Messages have the same kind: a request or notification of the same method, a result, or an error.
        case kinds
    }

    /// The times of messages.
    public enum ReplayPace: Sendable, Hashable {
        /// A message is sent as soon as the messages before it were sent and received.
        case immediate
        /// Before a message is sent, the recorded time since the event before it passes on the peer's clock.
        case recorded
    }

    /// Makes a script that replays a recording. A ``ScriptedPeer`` plays it:
    ///
    /// ```swift
    /// let recording = try SessionRecording(contentsOfFile: path)
    /// let server = ScriptedPeer(playing: PeerScript(replaying: recording, as: .server), matching: .anyOrder)
    /// let client = JSONRPCClient(connector: server.connector)
    /// ```
    ///
    /// Ids are matched: a response is sent with the id that the other side has chosen for its request. The other side
    /// may send its messages in another order if the peer matches in any order. Ids within params, such as those of
    /// cancelled requests, are compared as they were recorded; use ``ReplayMatching/kinds`` if they vary.
    ///
    /// Withdrawn requests are left out. The connections of a recording are replayed one after the other, in the order
    /// in which they were opened. The line of a ``ScriptFailure`` is that of the stored recording.
    public init(
        replaying recording: SessionRecording, as role: ReplayRole, matching: ReplayMatching = .values,
        pace: ReplayPace = .immediate
    ) {
        var replay = Replay(role: role, matching: matching)
        var steps: [Step] = []
        var last = Duration.zero
        let omitted = Replay.withdrawn(in: recording.events)
        for (index, event) in recording.events.enumerated() where !omitted.contains(index) {
            defer { last = max(last, event.time) }
            guard let action = replay.action(of: event) else { continue }
            switch action {
            case .expect, .expectBytes, .connect: break
            case .send, .wait, .close, .drop, .setReading:
                guard pace == .recorded, event.time > last else { break }
                steps.append(Step(line: index + 2, action: .wait(event.time - last)))
            }
            steps.append(Step(line: index + 2, action: action))
        }
        self.init(steps: steps)
    }
}

/// Makes the steps of a replay.
private struct Replay {
    let role: PeerScript.ReplayRole
    let matching: PeerScript.ReplayMatching
    /// The names under which the script keeps the ids of requests of the other side.
    var names: [JSONValue: String] = [:]
    var nameCount = 0

    /// Returns the indices of sent messages that were withdrawn before they left the outbox.
    static func withdrawn(in events: [SessionRecording.Event]) -> Set<Int> {
        var sent: [JSONValue: Int] = [:]
        var omitted: Set<Int> = []
        for (index, event) in events.enumerated() {
            switch event.kind {
            case .sent(let message):
                guard let json = try? JSONValue(parsing: message.bytes) else { continue }
                for request in json.arrayValue ?? [json] {
                    if request["method"] != nil, let id = request["id"] { sent[id] = index }
                }
            case .withdrawn(let id):
                if let id = try? JSONValue(id), let index = sent.removeValue(forKey: id) { omitted.insert(index) }
            case .opened, .received, .closed: break
            }
        }
        return omitted
    }

    mutating func action(of event: SessionRecording.Event) -> PeerScript.Step.Action? {
        switch event.kind {
        case .opened: return event.connection > 1 ? .connect : nil
        case .sent(let message): return role == .client ? sending(message) : expectation(message)
        case .received(let message): return role == .server ? sending(message) : expectation(message)
        case .withdrawn: return nil
        case .closed(_, _, .failure): return .drop
        case .closed(let code, let reason, let initiator):
            return initiator == (role == .client ? .local : .remote) ? .close(code: code, reason: reason) : nil
        }
    }

    // MARK: Messages of the other side

    private mutating func expectation(_ message: SessionRecording.Message) -> PeerScript.Step.Action {
        guard let json = try? JSONValue(parsing: message.bytes) else { return .expectBytes(message.bytes) }
        let shown = String(decoding: message.bytes, as: UTF8.self)
        guard let members = json.arrayValue else { return .expect(pattern(of: json), shown: shown) }
        return .expect(.array(members.map { pattern(of: $0) }), shown: shown)
    }

    private mutating func pattern(of json: JSONValue) -> MessagePattern {
        guard let members = json.objectValue else { return MessagePattern(json, exactly: true) }
        var patterns: [(name: String, pattern: MessagePattern)] = []
        for (name, value) in members {
            if name == "id", members["method"] != nil {
                nameCount += 1
                names[value] = "$request \(nameCount)"
                patterns.append((name, .name("$request \(nameCount)")))
            } else if matching == .values || name == "id" || name == "method" {
                patterns.append((name, MessagePattern(value, exactly: true)))
            } else if name == "result" || name == "error" {
                patterns.append((name, .any))
            }
        }
        return .object(patterns, ignored: matching == .values ? [] : nil)
    }

    // MARK: Messages of this side

    private func sending(_ message: SessionRecording.Message) -> PeerScript.Step.Action {
        let form = PeerScript.Form(isBinary: message.isBinary)
        guard let json = try? RawJSON(validating: message.bytes) else {
            return .send(MessageTemplate(parts: [.bytes(message.bytes)]), form)
        }
        var parts: [MessageTemplate.Part] = []
        var start = message.bytes.startIndex
        for member in (try? json.elements()) ?? [json] {
            guard let (id, name) = answeredID(of: member) else { continue }
            parts += [.bytes(Array(message.bytes[start..<id.bytes.startIndex])), .name(name)]
            start = id.bytes.endIndex
        }
        parts.append(.bytes(Array(message.bytes[start...])))
        return .send(MessageTemplate(parts: parts), form)
    }

    /// Returns the id of a response to a request of the other side, and its name.
    private func answeredID(of member: RawJSON) -> (RawJSON, String)? {
        guard let members = try? member.members(), !members.contains(where: { $0.name == "method" }),
            let id = members.last(where: { $0.name == "id" })?.value, let value = try? JSONValue(id),
            let name = names[value]
        else { return nil }
        return (id, name)
    }
}
