// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import Synchronization

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

    /// Restores the stored mode for a while.
    static func restoreForSuspension() {
        original.withLock { apply($0) }
    }

    private static func apply(_ mode: termios?) {
        guard var mode else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }

    /// The number of columns of the terminal at standard output; 80 if it is unknown.
    static var columns: Int { columns(of: STDOUT_FILENO) }

    /// Returns the number of columns of the terminal at a descriptor; 80 if it is unknown.
    static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
