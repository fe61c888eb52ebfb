// swift-jsonrpc · SPDX-License-Identifier: MIT

import ToolSupport

/// The progress of a benchmark run with live figures, on the last line of a terminal.
package struct ProgressBar: Sendable {
    var limit: Workload.Limit
    var warmUp: Duration
    /// The number of characters between the brackets.
    var width: Int
    /// A text before the bar, such as `run 2/5`.
    var title: String
    /// The number of columns of the terminal. A longer line would wrap, and could not be drawn over.
    var columns: Int

    package init(
        limit: Workload.Limit, warmUp: Duration = .zero, width: Int = 30, title: String = "", columns: Int = .max
    ) {
        (self.limit, self.warmUp, self.width) = (limit, warmUp, width)
        (self.title, self.columns) = (title, columns)
    }

    /// Returns the line without a line feed. `elapsed` is the time since the start of the run, with the warm-up.
    func line(calls: UInt64, elapsed: Duration, figures: LiveFigures? = nil) -> String {
        let head = title.isEmpty ? "" : "\(title) "
        guard elapsed >= warmUp else {
            return String(
                "\(head)warm-up \(DecimalText.fixed((warmUp - elapsed).inSeconds, digits: 1)) s".prefix(columns))
        }
        let seconds = (elapsed - warmUp).inSeconds
        let (made, fraction): (UInt64, Double) =
            switch limit {
            case .requests(let count): (min(calls, count), count == 0 ? 1 : Double(min(calls, count)) / Double(count))
            case .duration(let duration): (calls, duration > .zero ? min(1, seconds / duration.inSeconds) : 1)
            }
        let filled = Int((fraction * Double(width)).rounded(.down))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        let percent = DecimalText.right(String(Int((fraction * 100).rounded(.down))), 3)
        let rate = seconds > 0 ? UInt64(min(1e18, Double(figures?.answered ?? made) / seconds)) : 0
        let line =
            "\(head)[\(bar)] \(percent) %  \(DecimalText.grouped(made)) calls  \(DecimalText.grouped(rate)) calls/s"
        return String((line + (figures.map(Self.text) ?? "")).prefix(columns))
    }

    private static func text(_ figures: LiveFigures) -> String {
        var text = "  p50 \(BenchReport.latency(figures.median))  p99 \(BenchReport.latency(figures.p99))"
        if figures.errors > 0 { text += "  \(DecimalText.grouped(figures.errors)) errors" }
        if figures.missed > 0 { text += "  \(DecimalText.grouped(figures.missed)) missed" }
        return text
    }

    /// Draws with `write` until the task is cancelled, then clears the line.
    package func draw(counter: CallCounter, recorder: LatencyRecorder, _ write: (String) -> Void) async {
        let clock = ContinuousClock()
        let start = clock.now
        while true {
            let text = line(calls: counter.value, elapsed: clock.now - start, figures: recorder.liveFigures)
            write("\r\(text)\u{1B}[K")
            do {
                try await clock.sleep(for: .milliseconds(100))
            } catch {
                write("\r\u{1B}[K")
                return
            }
        }
    }
}
