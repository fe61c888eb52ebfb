// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import ToolSupport

/// A line chart.
///
/// The lines are SVG that is stretched to the width of the page. The texts are HTML, so their size does not change with
/// the width.
struct BenchChart {
    struct Series {
        var name: String
        /// The parts of the line. Between them there is no value.
        var parts: [[(x: Double, y: Double)]]

        /// Makes a line, which is interrupted where `y` is `nil`.
        init(name: String, points: [(x: Double, y: Double?)]) {
            self.name = name
            parts = points.split { $0.y == nil }.map { part in
                part.compactMap { point in point.y.map { (x: point.x, y: $0) } }
            }
        }

        var values: [Double] { parts.joined().map(\.y) }
    }

    struct Tick {
        var position: Double
        var text: String
    }

    var id: String
    var title: String
    var xTitle: String
    var yTitle: String
    var series: [Series]
    var xTicks: [Tick]
    var yTicks: [Tick]
    /// Whether the vertical axis is logarithmic. Values below its first tick are drawn at the first tick.
    var isLogarithmic = false

    /// The length of both axes in the coordinates of the SVG.
    private static let size = 1000.0
    /// The number of colors in the style sheet.
    static let maximumSeries = 8

    var html: String {
        let yLabels = yTicks.map { Self.label($0, "bottom", Self.size - vertical($0.position)) }
        let xLabels = xTicks.map { Self.label($0, "left", horizontal($0.position)) }
        return """
            <div class="chart" id="\(id)" role="img" aria-label="\(HTMLText.escape(title))">
            <div class="unit">\(HTMLText.escape(yTitle))</div>
            <div class="scale">\(yLabels.joined())</div>
            <svg viewBox="0 0 1000 1000" preserveAspectRatio="none">
            \(grid)
            \(series.prefix(Self.maximumSeries).enumerated().map(line).joined(separator: "\n"))
            </svg>
            <div class="ticks\(xLabels.count > 5 ? " many" : "")">\(xLabels.joined())</div>
            <div class="unit below">\(HTMLText.escape(xTitle))</div>
            </div>
            """
    }

    /// The names of the series with their colors, if there are several.
    var legend: String {
        guard series.count > 1 else { return "" }
        let names = series.prefix(Self.maximumSeries).enumerated().map { index, series in
            "<span><i class=\"s\(index)\"></i>\(HTMLText.escape(series.name))</span>"
        }
        let rest = series.count - names.count
        let more = rest > 0 ? "<span>and \(rest) more, which are not shown</span>" : ""
        return "<p class=\"legend\">\(names.joined())\(more)</p>"
    }

    /// Returns the text of a tick, at a distance from the beginning of its axis.
    private static func label(_ tick: Tick, _ side: String, _ distance: Double) -> String {
        "<span style=\"\(side):\(number(distance / size * 100))%\">\(HTMLText.escape(tick.text))</span>"
    }

    private var grid: String {
        let lines =
            yTicks.map { "M0 \(Self.number(vertical($0.position)))H1000" }
            + xTicks.map { "M\(Self.number(horizontal($0.position))) 0V1000" }
        return "<g class=\"grid\"><path d=\"\(lines.joined())\"/></g>"
    }

    private func line(_ index: Int, _ series: Series) -> String {
        let parts = series.parts.map { part in
            // A single point is drawn as a dash.
            guard part.count > 1 else {
                return part.map {
                    "M\(Self.number(horizontal($0.x) - 4)) \(Self.number(vertical($0.y)))h8"
                }.joined()
            }
            let points = part.map { "\(Self.number(horizontal($0.x))) \(Self.number(vertical($0.y)))" }
            return "M" + points.joined(separator: "L")
        }
        return "<path class=\"s\(index)\" d=\"\(parts.joined())\"/>"
    }

    private func horizontal(_ value: Double) -> Double {
        Self.share(value, xTicks.first?.position ?? 0, xTicks.last?.position ?? 1) * Self.size
    }

    private func vertical(_ value: Double) -> Double {
        let (first, last) = (yTicks.first?.position ?? 0, yTicks.last?.position ?? 1)
        let share =
            isLogarithmic
            ? Self.share(log10(max(value, first)), log10(first), log10(last)) : Self.share(value, first, last)
        return (1 - share) * Self.size
    }

    private static func share(_ value: Double, _ first: Double, _ last: Double) -> Double {
        last > first ? min(1, max(0, (value - first) / (last - first))) : 0
    }

    private static func number(_ value: Double) -> String { DecimalText.fixed(value, digits: 1) }

    // MARK: Ticks

    /// Returns ticks from 0 to the highest value or above it, at multiples of 1, 2 or 5 times a power of ten.
    static func linearTicks(to highest: Double, exactEnd: Bool = false, _ text: (Double) -> String) -> [Tick] {
        guard highest > 0, highest.isFinite else {
            return [Tick(position: 0, text: text(0)), Tick(position: 1, text: text(1))]
        }
        let step = roundStep(atLeast: highest / 6)
        let count = (highest / step - 1e-9).rounded(.up)
        var ticks = stride(from: 0, through: count, by: 1).map { Tick(position: $0 * step, text: text($0 * step)) }
        if exactEnd, let last = ticks.indices.last { ticks[last] = Tick(position: highest, text: "") }
        return ticks
    }

    /// Returns ticks at 1, 2 and 5 times powers of ten around the values. With more than two decades, only powers of
    /// ten have a text.
    static func logarithmicTicks(from lowest: Double, to highest: Double, _ text: (Double) -> String) -> [Tick] {
        let lowest = max(lowest, 0.001)
        let highest = max(highest, lowest)
        var values: [Double] = []
        var decade = pow(10, floor(log10(lowest)))
        let isLong = log10(highest / lowest) > 2.5
        while values.last.map({ $0 < highest }) ?? true {
            values += isLong ? [decade] : [decade, 2 * decade, 5 * decade]
            decade *= 10
        }
        while values.count > 2, values[1] <= lowest { values.removeFirst() }
        while values.count > 2, values[values.count - 2] >= highest { values.removeLast() }
        return values.map { Tick(position: $0, text: text($0)) }
    }

    private static func roundStep(atLeast value: Double) -> Double {
        let decade = pow(10, floor(log10(value)))
        return [1, 2, 5, 10].map { $0 * decade }.first { $0 >= value } ?? 10 * decade
    }
}

enum HTMLText {
    /// Returns the text for the content of an element or a quoted attribute. Control characters and characters that
    /// change the direction of text become visible escapes.
    static func escape(_ text: String) -> String {
        var output = ""
        for scalar in TerminalText.line(text).unicodeScalars {
            switch scalar {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\"": output += "&quot;"
            case "'": output += "&#39;"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
