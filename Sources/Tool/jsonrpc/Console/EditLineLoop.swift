// swift-jsonrpc · SPDX-License-Identifier: MIT

import CEditLine
import Dispatch
import Glibc

/// The only user of libedit. It is created and destroyed on the thread of a ``LineEditor``.
final class EditLineLoop {
    let owner: LineEditor
    let editor: OpaquePointer
    /// The prompt as libedit wants it, with a zero at the end.
    let prompt: UnsafeMutablePointer<wchar_t>
    private let history: OpaquePointer?
    private var latest: String?
    private var decoder = UTF8Input()
    /// True if ``LineEditor/stop()`` ended the reading.
    private var isStopped = false

    static func run(_ owner: LineEditor) {
        let locale = CEditLine_useUTF8()
        if let loop = EditLineLoop(owner) {
            loop.readLines()
            loop.end()
        } else {
            OutputStream.diagnostics.writeNow(Array("jsonrpc: Could not start the line editor.\n".utf8))
        }
        while case let rest = owner.takeLastOutput(), !rest.isEmpty { write(rest) }
        CEditLine_releaseLocale(locale)
    }

    private init?(_ owner: LineEditor) {
        guard let editor = CEditLine_open("jsonrpc") else { return nil }
        self.owner = owner
        self.editor = editor
        let scalars = owner.prompt.unicodeScalars.map { wchar_t(truncatingIfNeeded: $0.value) } + [0]
        prompt = .allocate(capacity: scalars.count)
        prompt.initialize(from: scalars, count: scalars.count)
        history = CEditLine_makeHistory(editor, Int32(HistoryFile.maximumLines))
        configure()
        for line in owner.pastLines { remember(line) }
    }

    private func configure() {
        // The callbacks run within calls of `readLines`, so this object outlives them.
        CEditLine_setContext(editor, Unmanaged.passUnretained(self).toOpaque())
        CEditLine_setPrompt(editor) { EditLineLoop.of($0)?.prompt }
        CEditLine_setReader(editor) { editor, character in
            guard let scalar = EditLineLoop.of(editor)?.readCharacter() else { return 0 }
            character?.pointee = wchar_t(truncatingIfNeeded: scalar.value)
            return 1
        }
        CEditLine_setEmacsMode(editor)
        // The user's ~/.editrc; the keys below replace its keys.
        el_source(editor, nil)
        CEditLine_takeSignalKeys(editor)
        addFunction("jsonrpc-complete", keys: ["^I"]) { editor, _ in EditLineLoop.of(editor)?.completeWord() ?? 0 }
        addFunction("jsonrpc-interrupt", keys: ["^C"]) { editor, _ in EditLineLoop.of(editor)?.interrupt() ?? 0 }
        addFunction("jsonrpc-suspend", keys: ["^Z"]) { editor, _ in EditLineLoop.of(editor)?.suspend() ?? 0 }
        for (key, command) in [
            ("^R", "em-inc-search-prev"), ("^W", "ed-delete-prev-word"), ("\\e[1~", "ed-move-to-beg"),
            ("\\e[4~", "ed-move-to-end"), ("\\e[H", "ed-move-to-beg"), ("\\e[F", "ed-move-to-end"),
            ("\\e[3~", "ed-delete-next-char"), ("\\e[1;5C", "em-next-word"), ("\\e[1;5D", "ed-prev-word"),
        ] { CEditLine_bind(editor, key, command) }
    }

    private func addFunction(_ name: String, keys: [String], _ function: @escaping CEditLineFunction) {
        CEditLine_addFunction(editor, name, name, function)
        for key in keys { CEditLine_bind(editor, key, name) }
    }

    private static func of(_ editor: OpaquePointer?) -> EditLineLoop? {
        guard let editor, let context = CEditLine_context(editor) else { return nil }
        // `configure` has stored this object, which outlives all callbacks.
        return Unmanaged<EditLineLoop>.fromOpaque(context).takeUnretainedValue()
    }

    private func end() {
        el_end(editor)
        if let history { history_wend(history) }
        prompt.deallocate()
    }

    // MARK: Lines

    private func readLines() {
        while true {
            let work = owner.takeWork()
            Self.write(work.output)
            if work.isStopping { return }
            var count: Int32 = 0
            guard let text = el_wgets(editor, &count), count > 0 else { break }
            var line = String(Self.scalars(UnsafeBufferPointer(start: text, count: Int(count))))
            if line.last == "\n" { line.removeLast() }
            if HistoryFile.keeps(line, after: latest) {
                remember(line)
                owner.history?.append(line)
            }
            owner.entered(.line(line))
        }
        // The shell's prompt begins on a line of its own.
        if !isStopped { Self.write("\r\n") }
    }

    private func remember(_ line: String) {
        latest = line
        guard let history else { return }
        CEditLine_remember(history, line.unicodeScalars.map { wchar_t(truncatingIfNeeded: $0.value) } + [0])
    }

    private static func scalars(_ text: some Sequence<wchar_t>) -> String.UnicodeScalarView {
        String.UnicodeScalarView(text.compactMap { Unicode.Scalar(UInt32(truncatingIfNeeded: $0)) })
    }

    // MARK: Keys

    /// Waits for a character, and shows output meanwhile. Returns `nil` at the end of the input.
    private func readCharacter() -> Unicode.Scalar? {
        while true {
            var descriptors = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: owner.wake.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&descriptors, 2, -1) < 0 {
                if errno == EINTR { continue }
                return nil
            }
            if descriptors[1].revents != 0, !doWork() { return nil }
            guard descriptors[0].revents != 0 else { continue }
            var byte: UInt8 = 0
            let count = read(STDIN_FILENO, &byte, 1)
            if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { return nil }
            if count == 1, let scalar = decoder.add(byte) { return scalar }
        }
    }

    /// Does the owner's work. Returns false if the reading ends.
    private func doWork() -> Bool {
        owner.wake.drain()
        let work = owner.takeWork()
        guard work.isStopping || work.isResized || !work.output.isEmpty else { return true }
        clearLine()
        Self.write(work.output)
        isStopped = work.isStopping
        if isStopped { return false }
        if work.isResized { el_resize(editor) }
        CEditLine_draw(editor)
        return true
    }

    private func completeWord() -> UInt8 {
        let completion = owner.complete(String(textBeforeCursor))
        if !completion.insertion.isEmpty {
            let text = completion.insertion.unicodeScalars.map { wchar_t(truncatingIfNeeded: $0.value) } + [0]
            return UInt8(el_winsertstr(editor, text) == 0 ? CC_REFRESH : CC_ERROR)
        }
        guard !completion.candidates.isEmpty else { return UInt8(CC_ERROR) }
        clearLine()
        let columns = TerminalMode.columns
        let typed = owner.prompt + String(textBeforeCursor)
        Self.write(([typed] + Completion.list(completion.candidates, columns: columns)).map { $0 + "\n" }.joined())
        CEditLine_draw(editor)
        return UInt8(CC_NORM)
    }

    private func interrupt() -> UInt8 {
        guard let line = el_wline(editor)?.pointee, let buffer = line.buffer, buffer != line.lastchar else {
            owner.entered(.interrupt)
            return UInt8(CC_NORM)
        }
        let end = place(to: line.lastchar)
        let down = end.row - place(to: line.cursor).row
        Self.write((down > 0 ? "\u{1B}[\(down)B" : "") + "\u{1B}[\(end.column + 1)G^C\r\n")
        // Forgets the line and draws the prompt.
        return UInt8(CC_FATAL)
    }

    private func suspend() -> UInt8 {
        clearLine()
        CEditLine_prepareTerminal(editor, 0)
        TerminalMode.restoreForSuspension()
        // Threads of Dispatch block signals. The signal goes to this thread, so that the process stops here.
        var (stop, blocked) = (sigset_t(), sigset_t())
        sigemptyset(&stop)
        sigaddset(&stop, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &stop, &blocked)
        raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &blocked, nil)
        CEditLine_prepareTerminal(editor, 1)
        el_resize(editor)
        CEditLine_draw(editor)
        return UInt8(CC_NORM)
    }

    // MARK: Screen

    private var textBeforeCursor: String.UnicodeScalarView {
        guard let line = el_wline(editor)?.pointee, let buffer = line.buffer else { return "".unicodeScalars }
        return Self.scalars(UnsafeBufferPointer(start: buffer, count: line.cursor - buffer))
    }

    private func place(to end: UnsafePointer<wchar_t>) -> LinePlace {
        guard let buffer = el_wline(editor)?.pointee.buffer else { return LinePlace() }
        let text = Self.scalars(UnsafeBufferPointer(start: buffer, count: end - buffer))
        return LinePlace.after(Array(owner.prompt.unicodeScalars) + text, columns: TerminalMode.columns) {
            Int(CEditLine_width(wchar_t(truncatingIfNeeded: $0.value)))
        }
    }

    /// Removes the prompt and the line from the screen.
    private func clearLine() {
        guard let cursor = el_wline(editor)?.pointee.cursor else { return }
        let row = place(to: cursor).row
        Self.write("\r" + (row > 0 ? "\u{1B}[\(row)A" : "") + "\u{1B}[J")
    }

    private static func write(_ text: String) {
        // If the terminal is gone, reading ends the loop.
        _ = DescriptorWriter.write(Array(text.utf8), to: STDOUT_FILENO)
    }

    private static func write(_ output: [LineEditor.Output]) {
        for part in output {
            part.stream.writeNow(part.bytes)
            part.written.signal()
        }
    }
}

/// Decodes the keys of a terminal, byte by byte. Bytes that are not UTF-8 are dropped.
struct UTF8Input {
    private var pending: [UInt8] = []

    /// Adds a byte. Returns the character that it completes; `nil` if there is none.
    mutating func add(_ byte: UInt8) -> Unicode.Scalar? {
        // A byte that begins a character ends an incomplete one. No character has more than four bytes.
        if byte & 0xC0 != 0x80 || pending.count == 4 { pending = [] }
        pending.append(byte)
        return String(validating: pending, as: UTF8.self)?.unicodeScalars.first
    }
}

/// The place of a character on the screen, relative to the beginning of the prompt. libedit does not report it.
struct LinePlace: Equatable {
    var row = 0
    var column = 0

    /// Returns the place after a text, drawn as libedit draws it: control characters as `^X`, line feeds as new rows,
    /// and wide characters in a new row if the row has no room for them.
    ///
    /// - Parameter width: Returns the number of columns of a character; negative if it cannot be printed.
    static func after(
        _ text: some Sequence<Unicode.Scalar>, columns: Int, width: (Unicode.Scalar) -> Int
    ) -> LinePlace {
        let columns = max(1, columns)
        var place = LinePlace()
        for scalar in text {
            switch scalar.value {
            case 0x0A: place = LinePlace(row: place.row + 1)
            case 0x09: place.advance(8 - place.column % 8, columns)
            case 0..<0x20, 0x7F: for _ in 0..<2 { place.advance(1, columns) }
            default:
                let width = width(scalar)
                // libedit shows a character that cannot be printed as \U+XXXX.
                if width < 0 {
                    for _ in 0..<(scalar.value > 0xFFFF ? 8 : 7) { place.advance(1, columns) }
                } else {
                    if place.column + width > columns { place = LinePlace(row: place.row + 1) }
                    place.advance(width, columns)
                }
            }
        }
        return place
    }

    private mutating func advance(_ count: Int, _ columns: Int) {
        column += count
        if column >= columns { self = LinePlace(row: row + 1) }
    }
}
