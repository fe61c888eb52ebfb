// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
public import Glibc
import Synchronization

/// A program that a test uses. It leads a process group of its own, which is killed at the end.
///
/// The program's stdout and stderr are joined as ``log``. Its stdin is a pipe that reaches end of file when this
/// process ends, however it ends. So a program that watches its stdin never outlives the tests.
///
/// Readiness is an event: ``line(containing:)`` waits for a line of the program, and fails if the program ends instead.
public final class PeerProcess: Sendable {
    /// The program's file name, for messages.
    public let name: String
    /// The process, and the number of its group.
    public let processID: pid_t

    private let output: PeerOutput
    private let inputEnd: Mutex<Int32?>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: A path, or a name to be looked for in `PATH`, `/usr/sbin` and `/sbin`.
    ///   - environment: Added to this process's own, in place of variables with the same names.
    /// - Throws: ``PeerFailure`` if the program is missing: a test that needs a peer fails without it.
    public init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let path = try PeerProcess.locate(program)
        name = String(path.split(separator: "/").last ?? Substring(path))
        let output = PeerOutput(name: name)
        self.output = output

        let (stdin, stdout, processID) = try PeerProcess.spawning.withLock { _ in
            let stdin = try PeerPipe()
            let stdout = try PeerPipe()
            let processID = try PeerProcess.spawn(
                path: path, arguments: [path] + arguments,
                environment: PeerProcess.merged(environment), stdin: stdin.readEnd, stdout: stdout.writeEnd
            )
            return (stdin, stdout, processID)
        }
        self.processID = processID
        inputEnd = Mutex(stdin.writeEnd)
        close(stdin.readEnd)
        close(stdout.writeEnd)
        output.follow(descriptor: stdout.readEnd, processID: processID)
    }

    deinit {
        killGroup()
        closeInput()
    }

    /// The output of the program so far.
    public var log: String { output.log }

    /// Returns the first line that contains `text`. It waits for the line if necessary.
    ///
    /// - Throws: ``PeerFailure`` with the log if the program ends without the line; `CancellationError`.
    public func line(containing text: String) async throws -> String {
        try await output.line { $0.contains(text) }
    }

    /// Returns the first line. It waits for the line if necessary.
    public func firstLine() async throws -> String {
        try await output.line { _ in true }
    }

    /// Waits until the program ends, and returns its status: the exit code, or minus the signal's number.
    public func exitStatus() async throws -> Int32 { try await output.exitStatus() }

    /// Lets the program read end of file, as at the end of this process.
    public func closeInput() {
        inputEnd.withLock { descriptor in
            if let open = descriptor.take() { close(open) }
        }
    }

    /// Sends a signal to the program and all programs that it has started.
    public func signal(_ number: Int32) {
        output.whileUnreaped { _ = kill(-processID, number) }
    }

    /// Kills the program and all programs that it has started, and returns when it has ended.
    public func stop() async {
        killGroup()
        // Cancellation of the caller must not leave the program behind.
        let output = output
        _ = try? await Task.detached { try await output.exitStatus() }.value
    }

    private func killGroup() { signal(SIGKILL) }
}

/// A program is missing, ended early, or wrote an unexpected line.
public struct PeerFailure: Error, CustomStringConvertible {
    public var description: String

    public init(_ description: String) { self.description = description }
}

/// Starts a program, waits for the line that reports readiness, runs `body`, and always ends the program. If `body`
/// throws, the program's output goes to standard error.
public func withPeer<Result>(
    _ peer: PeerProcess, readyLine: String,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (PeerProcess, _ readyLine: String) async throws -> sending Result
) async throws -> sending Result {
    do {
        let result = try await body(peer, peer.line(containing: readyLine))
        await peer.stop()
        return result
    } catch {
        await peer.stop()
        FileHandle.standardError.write(Data("--- \(peer.name) wrote:\n\(peer.log)\n---\n".utf8))
        throw error
    }
}
