// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser

enum ColorChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Colours on a terminal, unless the environment has `NO_COLOR` or `TERM=dumb`.
    case auto
    case always
    case never

    func colors(on stream: OutputStream) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto:
            stream.isTerminal && Environment.value("NO_COLOR") == nil && Environment.value("TERM") != "dumb"
        }
    }
}

struct ColorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Color JSON output. auto colors it on a terminal, unless NO_COLOR is set or TERM is dumb.",
            valueName: "auto|always|never"))
    var color = ColorChoice.auto

    /// Returns the formatter for a stream. It escapes characters that control a terminal if the stream is a terminal,
    /// and always on standard error, which is for people.
    func formatter(_ style: JSONFormatter.Style, on stream: OutputStream = .standard) -> JSONFormatter {
        JSONFormatter(
            style: style, escapesControls: stream.isTerminal || stream === OutputStream.diagnostics,
            colors: color.colors(on: stream))
    }
}

struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON on one line. By default it is indented.")
    var compact = false

    @OptionGroup var colors: ColorOptions

    func formatter(on stream: OutputStream) -> JSONFormatter {
        colors.formatter(compact ? .compact : .pretty, on: stream)
    }
}
