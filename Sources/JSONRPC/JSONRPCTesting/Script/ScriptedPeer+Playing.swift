// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import TaskWaits
import WireJSON

/// Playing scripts. The last four parameters are the place that a ``ScriptFailure`` names: leave them out.
extension ScriptedPeer {
    /// Makes a peer that plays a script from its first connection on.
    ///
    /// If a line fails, the peer drops the connection with the ``ScriptFailure`` as its error, so that no call waits
    /// for the rest of the script. ``finishScript(fileID:filePath:line:column:)`` throws the same failure.
    public convenience init(
        playing script: PeerScript, matching: Matching = .inOrder, patience: Duration = .seconds(20),
        clock: any Clock<Duration> = ContinuousClock(), fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) {
        self.init(matching: matching, patience: patience, clock: clock)
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        state.withLock { $0.script = (script, place) }
    }

    /// Makes a peer that plays a text script from its first connection on. The grammar is that of ``PeerScript``.
    ///
    /// ```swift
    /// let peer = try ScriptedPeer(
    ///     script: """
    ///         --> {"method":"subscribe","params":["ticks"]}
    ///         <-- {"result":"0x1"}
    ///         <-- {"method":"tick","params":{"subscription":"0x1","result":1}}
    ///         wait 5s
    ///         close 1012 "restart"
    ///         """, clock: clock)
    /// ```
    ///
    /// - Throws: ``ScriptFailure`` with the number of the first line that is not understood.
    public convenience init(
        script: String, matching: Matching = .inOrder, patience: Duration = .seconds(20),
        clock: any Clock<Duration> = ContinuousClock(), fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) throws {
        self.init(
            playing: try PeerScript(parsing: script, fileID: fileID, filePath: filePath, line: line, column: column),
            matching: matching, patience: patience, clock: clock, fileID: fileID, filePath: filePath, line: line,
            column: column)
    }

    /// Parses a script and plays it. The grammar is that of ``PeerScript``.
    ///
    /// - Throws: ``ScriptFailure`` with the number of the script's line, before any line is played if a line is not
    ///   understood; `CancellationError`.
    public func play(
        _ script: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) async throws {
        let script = try PeerScript(parsing: script, fileID: fileID, filePath: filePath, line: line, column: column)
        try await play(script, fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// Plays a script.
    ///
    /// - Throws: ``ScriptFailure`` with the number of the script's line, or `CancellationError`.
    public func play(
        _ script: PeerScript, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) async throws {
        try await play(script, at: .init(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    func play(_ script: PeerScript, at place: ScriptFailure.Location) async throws {
        var run = ScriptRun(peer: self, place: place)
        for (index, step) in script.steps.enumerated() {
            run.rest = script.steps[(index + 1)...]
            try await run.perform(step)
        }
    }

    /// Waits until the peer's own script has been played to its end. If the task is cancelled, the script stops.
    ///
    /// - Throws: ``ScriptFailure`` with the number of the script's line, or if nobody connected; `CancellationError`.
    public func finishScript(
        fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) async throws {
        try await expectConnection(fileID: fileID, filePath: filePath, line: line, column: column)
        guard let playing = state.withLock({ $0.playing }) else { return }
        try await playing.joined.get()
    }
}

/// The progress of a peer through a script.
private struct ScriptRun {
    let peer: ScriptedPeer
    let place: ScriptFailure.Location
    /// The steps after the current one.
    var rest: ArraySlice<PeerScript.Step> = []
    var bindings: MessagePattern.Bindings = [:]
    /// The ids of the requests that were taken and have no response, the oldest first.
    var openRequests: [JSONValue] = []
    var requestCount = 0
    /// The number of connections that the script has reached.
    var connections = 1

    mutating func perform(_ step: PeerScript.Step) async throws {
        do {
            try await perform(step.action)
        } catch var failure as ScriptFailure {
            (failure.location, failure.scriptLine) = (place, step.line)
            throw failure
        }
    }

    private mutating func perform(_ action: PeerScript.Step.Action) async throws {
        switch action {
        case .expect(let pattern, let shown): try await expect(pattern, shown)
        case .expectBytes(let bytes):
            let shown = String(decoding: bytes, as: UTF8.self).excerpt(ScriptFailure.maximumCharacters)
            try await peer.expect(shown, at: place) { $0.bytes == bytes ? () : nil }
        case .send(let template, let form): try send(template, form)
        case .wait(let duration): try await peer.clock.sleep(for: duration)
        case .close(let code, let reason): peer.close(code: code, reason: reason)
        case .drop: peer.drop()
        case .connect:
            connections += 1
            try await peer.expectConnection(connections)
        case .setReading(let isReading): peer.transport?.setReading(isReading)
        }
    }

    private mutating func expect(_ pattern: MessagePattern, _ shown: String) async throws {
        let (known, rest, ids) = (bindings, rest, pattern.responseIDs)
        // A response with the id of the expected one, which no later line expects, is the wrong response.
        @Sendable func contradicts(_ message: ReceivedMessage) -> Bool {
            guard !ids.isEmpty, let json = message.json, MessagePattern.isResponse(json, to: ids) else { return false }
            return !rest.contains { $0.expects(json, known) }
        }
        do {
            let shown = shown.excerpt(ScriptFailure.maximumCharacters)
            let (values, message) = try await peer.expect(shown, at: place, contradicts: contradicts) {
                message -> (MessagePattern.Bindings, JSONValue)? in
                var trial = known
                guard let json = message.json, pattern.difference(from: json, &trial) == nil else { return nil }
                return (trial, json)
            }
            bindings = values
            noteRequests(of: message)
        } catch var failure as ScriptFailure {
            // If no single message was received instead, one of the same method is the most similar one.
            let message = failure.received ?? peer.untaken.first { pattern.hasMethod(of: $0) }
            if let json = message?.json {
                var trial = known
                failure.difference = pattern.difference(from: json, &trial)
            }
            throw failure
        }
    }

    private mutating func noteRequests(of message: JSONValue) {
        for call in message.arrayValue ?? [message] {
            guard call["method"] != nil, let id = call["id"] else { continue }
            openRequests.append(id)
            requestCount += 1
            let name = "$\(requestCount)"
            if bindings[name] == nil { bindings[name] = id }
        }
    }

    private mutating func send(_ template: MessageTemplate, _ form: PeerScript.Form) throws {
        guard var message = template.filled(bindings, &openRequests) else {
            throw ScriptFailure(
                expected: "a request that has no response", instead: "every request has a response", location: place)
        }
        if let json = try? JSONValue(parsing: message) {
            for response in json.arrayValue ?? [json] where response["method"] == nil {
                if let index = openRequests.firstIndex(where: { $0 == response["id"] }) {
                    openRequests.remove(at: index)
                }
            }
        }
        if let count = form.maximumBytes { message = Array(message.prefix(count)) }
        try peer.send(message, form, at: place)
    }
}
