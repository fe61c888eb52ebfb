// swift-jsonrpc · SPDX-License-Identifier: MIT

enum TimeLimit: Sendable {
    /// The limit for the whole request.
    case total
    /// The limit for the head of the response.
    case firstByte(Duration)
    /// The limit between two pieces of the response's body.
    case idle(Duration)

    var exceeded: String {
        switch self {
        case .total: "The response was not complete within the total limit"
        case .firstByte(let limit): "The head of the response did not arrive within the limit of \(limit.text)"
        case .idle(let limit): "No byte of the response arrived within the idle limit of \(limit.text)"
        }
    }
}

extension Duration {
    /// The duration as text, such as "1.5 s".
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

/// The limits of an operation that are in force. A single limit, the usual case, needs no array.
struct ImposedLimits: Sendable {
    private struct Entry {
        let number: UInt64
        let limit: TimeLimit
        var deadline: ContinuousClock.Instant
    }

    private var first: Entry?
    private var others: [Entry] = []
    private var lastNumber: UInt64 = 0

    var deadline: ContinuousClock.Instant? {
        let other = others.lazy.map(\.deadline).min()
        guard let first else { return other }
        return other.map { min($0, first.deadline) } ?? first.deadline
    }

    /// Imposes a limit. Returns a number for ``lift(_:)``.
    mutating func impose(_ limit: TimeLimit, until deadline: ContinuousClock.Instant) -> UInt64 {
        lastNumber += 1
        let entry = Entry(number: lastNumber, limit: limit, deadline: deadline)
        if first == nil { first = entry } else { others.append(entry) }
        return lastNumber
    }

    /// Changes the deadline of a limit that is still in force.
    mutating func move(_ number: UInt64, to deadline: ContinuousClock.Instant) {
        if first?.number == number {
            first?.deadline = deadline
        } else if let index = others.firstIndex(where: { $0.number == number }) {
            others[index].deadline = deadline
        }
    }

    mutating func lift(_ number: UInt64) {
        if first?.number == number {
            first = nil
        } else if !others.isEmpty {
            others.removeAll { $0.number == number }
        }
    }

    /// Lifts the limit that was exceeded first, and returns it.
    mutating func liftExceeded(at now: ContinuousClock.Instant) -> TimeLimit? {
        var exceeded = first.flatMap { $0.deadline <= now ? $0 : nil }
        for entry in others where entry.deadline <= now {
            if exceeded.map({ entry.deadline < $0.deadline }) ?? true { exceeded = entry }
        }
        guard let exceeded else { return nil }
        lift(exceeded.number)
        return exceeded.limit
    }
}
