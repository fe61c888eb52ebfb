// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The irregularities found in one message.
public struct IrregularitySet: Sendable, Hashable {
    // One bit for each irregularity, so that a regular message costs nothing.
    private var bits: UInt64 = 0

    /// Makes an empty set.
    public init() {}

    /// Whether the message is regular.
    public var isEmpty: Bool { bits == 0 }

    /// Returns whether the irregularity is in the set.
    public func contains(_ irregularity: Irregularity) -> Bool { bits & Self.bit(irregularity) != 0 }

    /// Adds an irregularity.
    public mutating func insert(_ irregularity: Irregularity) { bits |= Self.bit(irregularity) }

    /// The irregularities, in the order in which ``Irregularity`` declares them.
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
    /// The reaction to a message as a whole.
    package struct Verdict: Sendable, Equatable {
        /// The irregularities that the session reports.
        package var reported = IrregularitySet()
        /// The first irregularity that keeps the message from being used; `nil` if the message is used.
        package var violation: Irregularity?
        /// Whether the session closes the connection.
        package var closesConnection = false

        package init() {}
    }

    /// Returns the reaction to a message with these irregularities.
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
