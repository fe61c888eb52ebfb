// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser

/// When output has colours.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// On a terminal, unless the environment has `NO_COLOR` or `TERM=dumb`.
    case auto
    case always
    case never

    /// Whether output to a stream has colours.
    func colors(on stream: OutputStream) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto:
            stream.isTerminal && Environment.value("NO_COLOR") == nil && Environment.value("TERM") != "dumb"
        }
    }
}

/// Whether output has colours.
struct ColorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Colour JSON. auto: on a terminal, unless NO_COLOR is set.", valueName: "auto|always|never"))
    var color = ColorChoice.auto

    /// Lays out values for a stream: characters that a terminal acts on are escaped on a terminal and, since messages
    /// there are for people, always on standard error.
    func formatter(_ style: JSONFormatter.Style, on stream: OutputStream = .standard) -> JSONFormatter {
        JSONFormatter(
            style: style, escapesControls: stream.isTerminal || stream === OutputStream.diagnostics,
            colors: color.colors(on: stream))
    }
}

/// How results are printed.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON on one line.")
    var compact = false

    @OptionGroup var colors: ColorOptions

    var formatter: JSONFormatter { formatter(on: .standard) }

    func formatter(on stream: OutputStream) -> JSONFormatter {
        colors.formatter(compact ? .compact : .pretty, on: stream)
    }
}
