// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation

/// Runs `body` with the path of a new, empty folder, which is removed afterwards with its contents.
public func withTemporaryDirectory<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (_ path: String) async throws -> sending Result
) async throws -> sending Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "swift-jsonrpc-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.path(percentEncoded: false))
}
