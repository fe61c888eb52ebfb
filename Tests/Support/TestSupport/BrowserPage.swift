// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation

/// An HTML document as a browser has parsed it. It needs `chromium-headless-shell` (Scripts/install-test-peers.sh).
package struct BrowserPage: Sendable {
    package var document: String

    /// Opens a file. The browser keeps its data in `folder`.
    package init(opening path: String, in folder: String) async throws {
        let output = folder + "/document"
        let browser = try PeerProcess(
            "/bin/sh",
            [
                "-c", #"out=$1; shift; exec "$@" >"$out" </dev/null"#, "sh", output, "chromium-headless-shell",
                "--no-sandbox", "--headless", "--disable-gpu", "--allow-file-access-from-files",
                "--user-data-dir=\(folder)/browser", "--dump-dom", "file://\(path)",
            ])
        guard try await browser.exitStatus() == 0 else {
            throw PeerFailure("The browser did not open \(path):\n\(browser.log)")
        }
        document = try String(contentsOfFile: output, encoding: .utf8)
    }

    /// Returns the value of a `data` element.
    package func value(_ id: String) throws -> Double {
        guard let begin = document.firstRange(of: "<data id=\"\(id)\" value=\""),
            let value = Double(document[begin.upperBound...].prefix { $0 != "\"" })
        else { throw PeerFailure("The page has no number '\(id)'.") }
        return value
    }

    /// Returns the number of elements of this name.
    package func count(_ element: String) -> Int { document.ranges(of: "<\(element)").count }
}
