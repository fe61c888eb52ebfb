// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A limit that ends an operation.
enum TimeLimit: Sendable {
    /// The limit for everything.
    case total
    /// The limit for the head of the response.
    case firstByte(Duration)
    /// The limit between two pieces of the response's body.
    case idle(Duration)

    /// Says that the limit was exceeded.
    var exceeded: String {
        switch self {
        case .total: "The response was not complete within the total limit"
        case .firstByte(let limit): "The head of the response did not arrive within the limit of \(limit.text)"
        case .idle(let limit): "No byte of the response arrived within the idle limit of \(limit.text)"
        }
    }
}

extension Duration {
    /// The duration for people, such as "1.5 s".
    var text: String {
        let (seconds, attoseconds) = components
        let fraction = Double(attoseconds) / 1e18
        let value = Double(seconds) + fraction
        return value == value.rounded() ? "\(seconds) s" : "\((value * 1000).rounded() / 1000) s"
    }
}

extension ContinuousClock.Instant {
    /// The instant after a duration, or nil after a duration of more than a century, which stands for no limit.
    func advanced(within duration: Duration?) -> Self? {
        guard let duration, duration < .seconds(3_155_760_000) else { return nil }
        return advanced(by: duration)
    }
}
