// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The progress of a benchmark run, on the last line of a terminal.
struct ProgressBar {
    var limit: Workload.Limit
    /// The number of characters between the brackets.
    var width = 30

    /// Returns the line for a number of started calls and an elapsed time, without a line feed.
    func line(calls: UInt64, elapsed: Duration) -> String {
        let seconds = Self.seconds(elapsed)
        let fraction =
            switch limit {
            case .requests(let count): count == 0 ? 1 : Double(min(calls, count)) / Double(count)
            case .duration(let duration): Self.seconds(duration) > 0 ? min(1, seconds / Self.seconds(duration)) : 1
            }
        let made: UInt64 =
            switch limit {
            case .requests(let count): min(calls, count)
            case .duration: calls
            }
        let filled = Int((fraction * Double(width)).rounded(.down))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        let percent = DecimalText.right(String(Int((fraction * 100).rounded(.down))), 3)
        let rate = seconds > 0 ? UInt64(Double(made) / seconds) : 0
        return "[\(bar)] \(percent) %  \(DecimalText.grouped(made)) calls  \(DecimalText.grouped(rate)) calls/s"
    }

    private static func seconds(_ duration: Duration) -> Double {
        let (whole, fraction) = duration.components
        return Double(whole) + Double(fraction) / 1e18
    }

    /// Draws on `output` until the task is cancelled, then clears the line.
    func draw(on output: OutputStream, counter: CallCounter) async {
        let clock = ContinuousClock()
        let start = clock.now
        while true {
            let text = line(calls: counter.value, elapsed: clock.now - start)
            try? output.write(Array("\r\(text)\u{1B}[K".utf8))
            do {
                try await clock.sleep(for: .milliseconds(100))
            } catch {
                try? output.write(Array("\r\u{1B}[K".utf8))
                return
            }
        }
    }
}
