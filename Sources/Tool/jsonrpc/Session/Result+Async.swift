// swift-jsonrpc · SPDX-License-Identifier: MIT

extension Result where Failure == any Error {
    /// The outcome of `body`.
    init(of body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
