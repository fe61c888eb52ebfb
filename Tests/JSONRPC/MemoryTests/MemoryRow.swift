// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Glibc
import TestSupport
import Testing

/// A row of `Development/MemoryAtLimits.md`: the memory held at a limit, and the limit.
struct MemoryRow {
    /// The limit, as `Limits.md` names it.
    let limit: String
    /// The peer's way to exceed the limit.
    let attack: String
    let documented: Int
    /// The allowed memory, as a multiple of ``documented``.
    var factor = 1.5
    /// Further allowed memory, such as for the tasks of 1024 calls.
    var fixed = 2 << 20

    /// Measures the memory that `body` leaves allocated. Returns its result, which must be kept until a later
    /// measurement ends if tasks release parts of it.
    ///
    /// - Parameter reachesLimit: Whether the memory must be large enough to show that the limit is reached.
    @discardableResult
    func measure<Kept>(reachesLimit: Bool = true, _ body: () async throws -> Kept) async throws -> Kept {
        let allowed = Int(Double(documented) * factor) + fixed
        var kept: Kept?
        let held = try await ProcessResources.heapGrowth(settlingTo: allowed) { kept = try await body() }
        record(held)
        #expect(held <= allowed, "\(limit), \(attack): \(Self.mebibytes(held)) of \(Self.mebibytes(documented)) MiB")
        let isReached = !reachesLimit || held >= documented / 2
        #expect(isReached, "\(limit), \(attack): only \(Self.mebibytes(held)) MiB")
        return try #require(kept)
    }

    private static func mebibytes(_ bytes: Int) -> String { String(format: "%.1f", Double(bytes) / 1_048_576) }

    /// Adds the row to the file that `JSONRPC_MEMORY_TABLE` names.
    private func record(_ held: Int) {
        guard let path = getenv("JSONRPC_MEMORY_TABLE"), let file = fopen(path, "a") else { return }
        defer { fclose(file) }
        let ratio = String(format: "%.2f", Double(held) / Double(documented))
        fputs("| \(limit) | \(attack) | \(Self.mebibytes(documented)) | \(Self.mebibytes(held)) | \(ratio) |\n", file)
    }
}
