// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The number of members that a server accepts in one array, as far as its rejections show.
///
/// A rejection halves the limit. After ``acceptancesToGrow`` full arrays in a row, the limit grows by a quarter, at
/// least by 1. If the server refuses arrays as such, the limit stays at 1.
struct LearnedLimit: Sendable {
    /// The number of full arrays that are accepted before the limit grows: 32.
    static let acceptancesToGrow = 32

    /// The limit; `nil` as long as no array was rejected.
    private(set) var members: Int?
    private var acceptances = 0
    /// Whether the server has answered the members of an array.
    private(set) var hasAcceptedArray = false
    private var refusesArrays = false

    /// Records the rejection of an array. Returns the new limit.
    ///
    /// - Parameter earlier: The limit when the array was sent. If another rejection has lowered the limit since, arrays
    ///   of the new size come first.
    mutating func rejected(count: Int, sentUnder earlier: Int?) -> Int {
        if let members, members < count, members < earlier ?? .max { return members }
        let limit = max(1, min(members ?? count, count) / 2)
        members = limit
        acceptances = 0
        return limit
    }

    /// Records that the server answers requests that are sent alone, but not the same ones in an array.
    mutating func refusedArrays() {
        members = 1
        refusesArrays = true
    }

    mutating func accepted(count: Int) {
        if count > 1 { hasAcceptedArray = true }
        guard let limit = members, count >= limit, !refusesArrays else { return }
        acceptances += 1
        if acceptances >= Self.acceptancesToGrow {
            acceptances = 0
            let (sum, overflow) = limit.addingReportingOverflow(max(1, limit / 4))
            members = overflow ? nil : sum
        }
    }
}
