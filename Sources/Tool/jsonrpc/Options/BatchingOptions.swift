// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser

struct BatchingOptions: ParsableArguments {
    /// The maximum number of requests in a batch if no option has a number.
    static let defaultLength = 100

    @Option(
        help: ArgumentHelp(
            "Send JSON-RPC batches (arrays) of this many requests. The number can be left out; it is then that of "
                + "--max-batch. By default each request is sent by itself.", valueName: "requests"))
    var asBatch: AsBatchOption?

    @Option(
        help: ArgumentHelp(
            "Maximum number of requests in a batch; implies --as-batch. The default is \(defaultLength).",
            valueName: "requests"))
    var maxBatch: Int?

    @Option(
        help: ArgumentHelp(
            "Send a batch that is not full when this time has passed since its first request, in seconds or with a "
                + "unit. By default, 'batch' waits until the input ends, and 'bench' does not wait.",
            valueName: "time"))
    var window: TimeOption?

    /// The maximum number of requests in a batch; `nil` to send each request by itself.
    var length: Int? {
        guard asBatch != nil || maxBatch != nil else { return nil }
        let given = [asBatch?.requests, maxBatch].compactMap(\.self)
        return given.min() ?? Self.defaultLength
    }

    func validate() throws {
        try OptionChecks.range("--as-batch", asBatch?.requests, 1...(.max))
        try OptionChecks.range("--max-batch", maxBatch, 1...(.max))
        if window != nil, length == nil { throw ValidationError("--window needs --as-batch, which is missing.") }
    }
}

/// The value of `--as-batch`: a number, or nothing.
struct AsBatchOption: Equatable, Sendable, ExpressibleByArgument {
    /// The value that ``CommandLineWords`` adds if there is none. Arguments of a process cannot contain it.
    static let absent = "\0"

    /// The number of requests; `nil` if the option has no number.
    var requests: Int?

    init?(argument: String) {
        guard argument != Self.absent else { return }
        guard let requests = Int(argument) else { return nil }
        self.requests = requests
    }
}
