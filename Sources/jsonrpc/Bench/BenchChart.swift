// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A line chart as SVG.
struct BenchChart {
    typealias Point = (x: Double, y: Double)

    struct Series {
        var name: String
        var points: [Point]
    }

    struct Tick {
        var position: Double
        var text: String
    }

    /// The id of the element.
    var id: String
    var title: String
    var xTitle: String
    var series: [Series]
    var xTicks: [Tick]
    var yTicks: [Tick]
    /// Whether the vertical axis is logarithmic. Values below its first tick are drawn at the first tick.
    var isLogarithmic = false

    private static let (width, height) = (760.0, 260.0)
    private static let (left, right, top, bottom) = (72.0, 28.0, 12.0, 44.0)
    /// The number of colors in the style sheet.
    static let maximumSeries = 8

    var svg: String {
        """
        <svg id="\(id)" viewBox="0 0 \(Self.number(Self.width)) \(Self.number(Self.height))" role="img" \
        aria-label="\(HTMLText.escape(title))">
        \(grid)
        \(series.prefix(Self.maximumSeries).enumerated().map(line).joined(separator: "\n"))
        <text class="axis" x="\(Self.number((Self.left + Self.width - Self.right) / 2))" \
        y="\(Self.number(Self.height - 6))" text-anchor="middle">\(HTMLText.escape(xTitle))</text>
        </svg>
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

    private var grid: String {
        let (begin, end) = (Self.number(Self.left), Self.number(Self.width - Self.right))
        var lines = yTicks.map { tick in
            let y = Self.number(vertical(tick.position))
            return """
                <line class="grid" x1="\(begin)" x2="\(end)" y1="\(y)" y2="\(y)"/>\
                <text class="axis" x="\(Self.number(Self.left - 8))" y="\(y)" dy="4" text-anchor="end">\
                \(HTMLText.escape(tick.text))</text>
                """
        }
        let (low, high) = (Self.number(Self.height - Self.bottom), Self.number(Self.top))
        lines += xTicks.map { tick in
            let x = Self.number(horizontal(tick.position))
            return """
                <line class="grid" x1="\(x)" x2="\(x)" y1="\(high)" y2="\(low)"/>\
                <text class="axis" x="\(x)" y="\(Self.number(Self.height - Self.bottom + 16))" text-anchor="middle">\
                \(HTMLText.escape(tick.text))</text>
                """
        }
        return lines.joined(separator: "\n")
    }

    private func line(_ index: Int, _ series: Series) -> String {
        let points = series.points.map { "\(Self.number(horizontal($0.x))),\(Self.number(vertical($0.y)))" }
        guard points.count != 1 else {
            let (x, y) = (horizontal(series.points[0].x), vertical(series.points[0].y))
            return "<circle class=\"s\(index)\" cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"3\"/>"
        }
        return "<polyline class=\"s\(index)\" points=\"\(points.joined(separator: " "))\"/>"
    }

    private func horizontal(_ value: Double) -> Double {
        let share = Self.share(value, xTicks.first?.position ?? 0, xTicks.last?.position ?? 1)
        return Self.left + share * (Self.width - Self.left - Self.right)
    }

    private func vertical(_ value: Double) -> Double {
        let (first, last) = (yTicks.first?.position ?? 0, yTicks.last?.position ?? 1)
        let share =
            isLogarithmic
            ? Self.share(log10(max(value, first)), log10(first), log10(last)) : Self.share(value, first, last)
        return Self.height - Self.bottom - share * (Self.height - Self.top - Self.bottom)
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
        var ticks: [Tick] = []
        var index = 0.0
        while ticks.isEmpty || (ticks.last?.position ?? 0) < highest - step * 1e-9 {
            ticks.append(Tick(position: index * step, text: text(index * step)))
            index += 1
        }
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
