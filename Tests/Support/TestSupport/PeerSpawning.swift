// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// The checkout from which the tests were built.
public enum Checkout {
    /// Its top folder.
    public static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../..").standardized.path(percentEncoded: false)

    /// The Python of `Scripts/install-test-peers.sh`.
    public static var python: String { root + ".tools/python/bin/python" }

    /// The Python of the server of atomic operations, for `Scripts/peers/requirements-operations.txt`.
    public static var operationsPython: String { root + ".tools/python-operations/bin/python" }

    /// A program of this package, built beside the tests.
    public static func program(_ name: String) -> String {
        Bundle.main.bundleURL.appending(path: name).path(percentEncoded: false)
    }

    /// A file of the folder `Scripts/peers`.
    public static func peerScript(_ name: String) -> String { root + "Scripts/peers/" + name }
}

/// Two ends of a pipe, closed on exec.
///
/// It is made under ``PeerProcess/spawning``, so that no program that starts at the same time inherits an end.
struct PeerPipe {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw PeerFailure("pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readEnd = ends[0]
        writeEnd = ends[1]
    }
}

extension PeerProcess {
    static let spawning = Mutex(())

    static func locate(_ program: String) throws -> String {
        var candidates = [program]
        if !program.contains("/") {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            candidates = (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]).map {
                $0 + "/" + program
            }
        }
        if let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) { return found }
        throw PeerFailure("\(program) is not installed: run Scripts/install-test-peers.sh")
    }

    static func merged(_ environment: [String: String]) -> [String] {
        ProcessInfo.processInfo.environment.merging(environment) { _, added in added }.map { "\($0)=\($1)" }
    }

    /// Starts the program in a new process group, with the signal dispositions of a new process.
    static func spawn(
        path: String, arguments: [String], environment: [String], stdin: Int32, stdout: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, stdin, 0)
        posix_spawn_file_actions_adddup2(&actions, stdout, 1)
        posix_spawn_file_actions_adddup2(&actions, stdout, 2)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
        )

        var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for string in argv + envp { free(string) } }
        var processID: pid_t = 0
        let code = posix_spawn(&processID, path, &actions, &attributes, &argv, &envp)
        guard code == 0 else { throw PeerFailure("\(path) cannot be started: \(String(cString: strerror(code)))") }
        return processID
    }
}

/// Ports for programs that need one as an argument.
public enum LoopbackPort {
    /// Returns a TCP port on which nothing listens.
    ///
    /// It makes a connection to the port and closes it from the port's side, so that the port stays in TIME_WAIT. The
    /// system does not assign such a port, but a program that asks for it with `SO_REUSEADDR`, as servers do, gets it.
    public static func reserve() throws -> Int {
        let listener = try socket()
        defer { close(listener) }
        let dialler = try socket()
        defer { close(dialler) }

        var reuse: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, length) == 0, listen(listener, 1) == 0,
                    getsockname(listener, address, &length) == 0, connect(dialler, address, length) == 0
                else { return errno }
                return 0
            }
        }
        let accepted = code == 0 ? accept(listener, nil, nil) : -1
        guard accepted >= 0 else {
            throw PeerFailure("no port: \(String(cString: strerror(code == 0 ? errno : code)))")
        }
        close(accepted)  // First, so that TIME_WAIT is on this side.
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func socket() throws -> Int32 {
        let descriptor = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw PeerFailure("socket: \(String(cString: strerror(errno)))") }
        return descriptor
    }
}
