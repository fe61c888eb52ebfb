// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCTesting
import Synchronization
import ToolSupport

/// A file that gets a recording event by event, so that it is complete whenever the command ends.
final class RecordingFile: Sendable {
    private struct State {
        var connections = 0
        var failure: UsageError?
    }

    let path: String
    private let descriptor: Int32
    private let start = ContinuousClock.now
    private let state = Mutex(State())
    /// A closure that is called once if the file cannot be written.
    private let failed: @Sendable (UsageError) -> Void

    /// Creates a file, which only its owner can read, because messages may hold secrets.
    ///
    /// - Parameters:
    ///   - replaces: Whether an existing file is replaced.
    ///   - failed: A closure that is called once if a later write fails.
    init(at path: String, replaces: Bool, failed: @escaping @Sendable (UsageError) -> Void) throws {
        self.path = path
        self.failed = failed
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replaces ? O_TRUNC : O_EXCL)
        descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            let advice = errno == EEXIST ? " Use --force to replace it." : ""
            throw UsageError("Could not create \(path): \(SystemFailure.text(errno)).\(advice)")
        }
        // A file that is replaced keeps its mode. Devices and pipes are left as they are.
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, fchmod(descriptor, 0o600) != 0 {
            let reason = SystemFailure.text(errno)
            close(descriptor)
            throw UsageError("Could not make \(path) readable only for its owner: \(reason).")
        }
        if let failure = DescriptorWriter.write(SessionRecording.header, to: descriptor) {
            close(descriptor)
            throw Self.failure(failure, path)
        }
    }

    deinit { close(descriptor) }

    /// Writes that a connection was opened. Returns the number of the connection, counted from 1.
    func opened() -> Int {
        state.withLock { state in
            state.connections += 1
            write(.opened, state.connections, &state)
            return state.connections
        }
    }

    /// Writes an event of a connection. The lock keeps the order of times.
    func write(_ kind: SessionRecording.Event.Kind, ofConnection connection: Int) {
        state.withLock { write(kind, connection, &$0) }
    }

    private func write(_ kind: SessionRecording.Event.Kind, _ connection: Int, _ state: inout State) {
        guard state.failure == nil else { return }
        let event = SessionRecording.Event(kind, time: start.duration(to: .now), connection: connection)
        guard let code = DescriptorWriter.write(SessionRecording.line(of: event), to: descriptor) else { return }
        let failure = Self.failure(code, path)
        state.failure = failure
        failed(failure)
    }

    private static func failure(_ code: Int32, _ path: String) -> UsageError {
        UsageError("Could not write \(path): \(SystemFailure.text(code)).")
    }
}
