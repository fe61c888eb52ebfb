// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

/// The standard output: a terminal is drawn again for each change, a file or a pipe gets a line for each change.
actor Screen {
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private var status = "Connecting."
    private var body: [String] = []
    private var phases: [GID: DownloadStatus.Phase] = [:]

    /// Shows the state of the connection.
    func show(_ status: String) {
        self.status = status
        if isTerminal { draw() } else { emit(status) }
    }

    /// Shows the downloads. Off a terminal, it prints those whose phase has changed.
    func show(_ downloads: [DownloadStatus], _ total: GlobalStatus) {
        let former = phases
        phases = [:]
        for download in downloads {
            phases[download.gid] = download.status
            if !isTerminal, former[download.gid] != download.status { emit(download.line) }
        }
        body = ["\(total.numActive) active, \(total.numWaiting) waiting, \(total.downloadSpeed) bytes/s", ""]
        body += downloads.map(\.line)
        if isTerminal { draw() }
    }

    private func draw() {
        // To the first line, and clear the rest.
        print("\u{1B}[H\u{1B}[J", terminator: "")
        for line in [status] + body { emit(line) }
    }

    /// Prints a line. File names come from servers, so control characters are replaced.
    private func emit(_ line: String) {
        let scalars = line.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }
        print(String(String.UnicodeScalarView(scalars)))
        fflush(nil)
    }
}

extension DownloadStatus {
    /// The progress, the phase and the name.
    fileprivate var line: String {
        let share = (Double(completedLength ?? "") ?? 0) / (Double(totalLength ?? "") ?? 0)
        let percent = Int(exactly: (share * 100).rounded()) ?? 0
        let name = files?.first?.path.split(separator: "/").last ?? ""
        return "\(percent) % \(status?.rawValue ?? "unknown"): \(name.isEmpty ? "\(gid)" : name)"
    }
}
