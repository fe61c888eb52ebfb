// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// A terminal of 100 columns and 30 rows in tmux, with a shell script that runs the tool.
struct TmuxTerminal {
    /// The size of the terminal.
    static let (columns, rows) = (100, 30)
    /// The longest wait for a text on the screen.
    static let waitLimit = Duration.seconds(40)

    private let socket: String
    /// The home of the tool, which is empty at first.
    let home: String

    /// Runs the tool in a new terminal while `body` runs. The files `before` and `after` in `home` have the mode of the
    /// terminal before and after the tool; the screen shows the exit status. A tool that is stopped writes the mode to
    /// `stopped` and continues at once.
    static func run<Result>(
        _ arguments: [String], home: String, isolation: isolated (any Actor)? = #isolation,
        _ body: (TmuxTerminal) async throws -> sending Result
    ) async throws -> sending Result {
        try await withTemporaryDirectory { folder in
            let terminal = TmuxTerminal(socket: folder + "/s", home: home)
            // tmux ends when this process ends, because `cat` then reads the end of its input.
            let server = try PeerProcess(
                "/bin/sh",
                ["-c", #"tmux -u -S "$1" -f /dev/null -D & cat >/dev/null; kill $!"#, "sh", terminal.socket],
                environment: terminal.environment)
            do {
                try await terminal.start(arguments)
                let result = try await body(terminal)
                await server.stop()
                return result
            } catch {
                await server.stop()
                throw error
            }
        }
    }

    private var environment: [String: String] {
        ["HOME": home, "XDG_STATE_HOME": "", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "EDITRC": "", "TMUX": ""]
    }

    private func start(_ arguments: [String]) async throws {
        let script = #"""
            home=$1; shift
            set -m
            stty -a >"$home/before"
            sh -c 'echo $$ >"$0/pid"; exec "$@"' "$home" "$@"
            status=$?
            while [ "$status" = 148 ]; do stty -a >"$home/stopped"; fg; status=$?; done
            echo "[status $status]"
            stty -a >"$home/after"
            echo "[end]"
            exec cat
            """#
        let words = ["sh", "-c", script, "sh", home, ToolRun.program] + arguments
        let command = words.map { "'\($0.replacing("'", with: #"'\''"#))'" }.joined(separator: " ")
        let end = ContinuousClock.now + Self.waitLimit
        while true {
            let run = try await tmux(
                "-N", "new-session", "-d", "-x", "\(Self.columns)", "-y", "\(Self.rows)", command)
            if run.status == 0 { return }
            guard ContinuousClock.now < end else { throw PeerFailure("tmux did not start: \(run.diagnostics)") }
        }
    }

    private func tmux(_ arguments: String...) async throws -> ToolRun {
        try await ToolRun.run(program: "tmux", ["-u", "-S", socket] + arguments, environment: environment)
    }

    /// Types a text.
    func type(_ text: String) async throws {
        _ = try await tmux("send-keys", "-l", "--", text)
    }

    /// Types a text and presses Enter.
    func enter(_ text: String) async throws {
        try await type(text)
        try await press("Enter")
    }

    /// Presses a key, such as `C-c`, `Tab` or `Up`.
    func press(_ key: String) async throws {
        _ = try await tmux("send-keys", key)
    }

    /// Sends a signal to the tool.
    func signalTool(_ signal: Int32) throws {
        let text = try String(contentsOfFile: home + "/pid", encoding: .utf8)
        guard let processID = pid_t(text.prefix { $0.isNumber }) else { throw PeerFailure("no process in \(text)") }
        kill(processID, signal)
    }

    /// Changes the size of the terminal.
    func resize(columns: Int, rows: Int) async throws {
        _ = try await tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
    }

    /// The lines on the screen, without the empty ones at the end.
    func screen() async throws -> [String] {
        let lines = try await tmux("capture-pane", "-p").output.split(separator: "\n", omittingEmptySubsequences: false)
        return Array(lines.map(String.init).reversed().drop { $0.isEmpty }.reversed())
    }

    /// Waits until the screen meets a condition. tmux does not report changes, so the screen is read repeatedly.
    ///
    /// - Throws: ``PeerFailure`` with the screen after ``waitLimit``.
    @discardableResult
    func wait(_ purpose: String, until condition: ([String]) -> Bool) async throws -> [String] {
        let end = ContinuousClock.now + Self.waitLimit
        while true {
            let screen = try await screen()
            if condition(screen) { return screen }
            try Task.checkCancellation()
            guard ContinuousClock.now < end else {
                throw PeerFailure("The screen did not show \(purpose):\n\(screen.joined(separator: "\n"))")
            }
        }
    }

    /// Waits until the last lines of the screen are these.
    @discardableResult
    func wait(forEnd lines: String...) async throws -> [String] {
        try await wait("\(lines)") { $0.suffix(lines.count) == lines[...] }
    }

    /// Waits until a line of the screen contains a text.
    @discardableResult
    func wait(for text: String) async throws -> [String] {
        try await wait("'\(text)'") { $0.contains { $0.contains(text) } }
    }

    /// Waits until a line begins with a text and the last line of the screen is another.
    func wait(forLine text: String, thenEnd end: String) async throws {
        try await wait("'\(text)', then '\(end)'") { $0.contains { $0.hasPrefix(text) } && $0.last == end }
    }

    /// Checks that the tool has restored the mode of the terminal.
    func expectSameModes(_ file: String = "after") throws {
        let modes = try ["before", file].map { try String(contentsOfFile: home + "/" + $0, encoding: .utf8) }
        #expect(modes[0] == modes[1])
        #expect(modes[0].contains("icanon"))
    }
}
