// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import Synchronization
import TaskWaits

/// Reads lines at a terminal, with history and completion, while output appears above the line.
///
/// One thread runs libedit and does all of the output: ``OutputStream`` passes its lines to the editor that
/// ``OutputStream/editor`` names.
final class LineEditor: Sendable {
    enum Input: Equatable, Sendable {
        /// A line, without its line feed.
        case line(String)
        /// Ctrl-C at an empty line.
        case interrupt
    }

    struct Output: Sendable {
        var bytes: [UInt8]
        var stream: OutputStream
        /// Signalled when the bytes are written.
        var written: DispatchSemaphore
    }

    /// The work of the thread when it is woken.
    struct Work: Sendable {
        var output: [Output] = []
        /// True if the size of the terminal has changed.
        var isResized = false
        var isStopping = false
    }

    private struct State {
        var work = Work()
        /// True while the thread takes output.
        var isOpen = true
    }

    /// The lines of the user. The stream ends with Ctrl-D, with the terminal, and after ``stop()``.
    let inputs: AsyncStream<Input>
    let prompt: String
    /// The lines that were entered before, oldest first.
    let pastLines: [String]
    let history: HistoryFile?
    /// Completes a line up to the cursor, on the editor's thread.
    let complete: @Sendable (String) -> Completion
    let wake: WakePipe
    private let input: AsyncStream<Input>.Continuation
    private let state = Mutex(State())
    private let end = CancellableWait<Void>()

    init(
        prompt: String, pastLines: [String], history: HistoryFile?,
        complete: @escaping @Sendable (String) -> Completion
    ) throws {
        self.prompt = prompt
        self.pastLines = pastLines
        self.history = history
        self.complete = complete
        wake = try WakePipe()
        (inputs, input) = AsyncStream.makeStream()
    }

    /// Takes the terminal and begins to read.
    func start() {
        TerminalMode.save()
        OutputStream.editor.withLock { $0 = self }
        // The thread blocks in `poll`, so it must not belong to the task pool.
        DispatchQueue(label: "jsonrpc.editor").async {
            let resizes = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: .global())
            resizes.setEventHandler { [weak self] in self?.resized() }
            resizes.resume()
            EditLineLoop.run(self)
            resizes.cancel()
            self.ended()
        }
    }

    /// Ends the editing and returns when the terminal has its mode again.
    func stop() async {
        state.withLock { $0.work.isStopping = true }
        wake.raise()
        // A cancellation does not end the wait.
        try? await end.value(onCancel: {})
    }

    /// Writes bytes above the line and returns when they are written, like a write to a terminal. Returns false if the
    /// editor has ended, so that the caller has to write.
    func print(_ bytes: [UInt8], to stream: OutputStream) -> Bool {
        let written = DispatchSemaphore(value: 0)
        let isTaken = state.withLock { state in
            if state.isOpen { state.work.output.append(Output(bytes: bytes, stream: stream, written: written)) }
            return state.isOpen
        }
        guard isTaken else { return false }
        wake.raise()
        written.wait()
        return true
    }

    private func resized() {
        state.withLock { $0.work.isResized = true }
        wake.raise()
    }

    // MARK: The editor's thread

    func entered(_ input: Input) { self.input.yield(input) }

    func takeWork() -> Work {
        state.withLock { state in
            defer { (state.work.output, state.work.isResized) = ([], false) }
            return state.work
        }
    }

    /// Takes the last output. Returns an empty array when there is none; no output is taken after that.
    func takeLastOutput() -> [Output] {
        state.withLock { state in
            defer { state.work.output = [] }
            if state.work.output.isEmpty { state.isOpen = false }
            return state.work.output
        }
    }

    private func ended() {
        OutputStream.editor.withLock { $0 = nil }
        TerminalMode.restore()
        input.finish()
        end.resume()
    }
}

/// The mode of the terminal while a line editor changes it.
enum TerminalMode {
    private static let original = Mutex<termios?>(nil)

    /// Stores the mode of standard input, for ``restore()``.
    static func save() {
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
        original.withLock { $0 = mode }
    }

    /// Restores the stored mode, if there is one. Every way out of the process calls this.
    static func restore() {
        original.withLock { stored in
            apply(stored)
            stored = nil
        }
    }

    static func restoreForSuspension() {
        original.withLock { apply($0) }
    }

    private static func apply(_ mode: termios?) {
        guard var mode else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }

    static var columns: Int { columns(of: STDOUT_FILENO) }

    /// Returns the number of columns of the terminal at a descriptor; 80 if it is unknown.
    static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
