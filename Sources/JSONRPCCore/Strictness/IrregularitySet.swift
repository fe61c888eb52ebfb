// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The irregularities found in one message. It is a bit set, so a regular message costs nothing.
public struct IrregularitySet: Sendable, Hashable {
    private var bits: UInt64 = 0

    public init() {}

    public var isEmpty: Bool { bits == 0 }

    public func contains(_ irregularity: Irregularity) -> Bool { bits & Self.bit(irregularity) != 0 }

    public mutating func insert(_ irregularity: Irregularity) { bits |= Self.bit(irregularity) }

    /// In the order in which ``Irregularity`` lists them.
    public var elements: [Irregularity] { isEmpty ? [] : Irregularity.allCases.filter(contains) }

    private static func bit(_ irregularity: Irregularity) -> UInt64 { 1 << UInt64(irregularity.rawValue) }
}

extension IrregularitySet: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Irregularity...) {
        for element in elements { insert(element) }
    }
}

extension IrregularitySet: CustomStringConvertible {
    public var description: String { elements.map(\.description).joined(separator: "; ") }
}

extension Strictness {
    /// What is to be done about a message with these irregularities.
    package struct Verdict: Sendable, Equatable {
        /// Those that the session's events tell of.
        package var reported = IrregularitySet()
        /// The first of those for which the message is not used; nil when it is used.
        package var violation: Irregularity?
        /// True when one of them ends the connection.
        package var closesConnection = false

        package init() {}
    }

    package func verdict(on found: IrregularitySet) -> Verdict {
        var verdict = Verdict()
        if found.isEmpty { return verdict }
        for irregularity in found.elements {
            let reaction = self[irregularity]
            if reaction >= .report { verdict.reported.insert(irregularity) }
            if (reaction >= .failCall || !irregularity.hasReading) && verdict.violation == nil {
                verdict.violation = irregularity
            }
            if reaction == .closeConnection { verdict.closesConnection = true }
        }
        return verdict
    }
}
