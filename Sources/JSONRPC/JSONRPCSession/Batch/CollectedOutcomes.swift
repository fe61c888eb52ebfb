// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCCore
package import WireJSON

extension JSONRPCCaller {
    /// Sends a batch with ``JSONRPCCaller/batch(_:timeout:pace:eachOutcome:)``, and returns the outcomes in the order of the
    /// entries; `nil` for notifications.
    ///
    /// - Throws: A `CancellationError` if the task was cancelled before the end; the first error of a batch of
    ///   notifications, because they have no outcomes; the reason why the batch was not sent.
    package func collectedOutcomes(
        of entries: [BatchEntry], timeout: CallTimeout
    ) async throws -> [Result<RawJSON, CallError>?] {
        var outcomes = [Result<RawJSON, CallError>?](repeating: nil, count: entries.count)
        try await batch(entries, timeout: timeout, pace: .together) { outcomes[$0] = $1 }
        for case .failure(.cancelled)? in outcomes where Task.isCancelled { throw CancellationError() }
        guard entries.allSatisfy(\.isNotification) else {
            return zip(entries, outcomes).map { $0.isNotification ? nil : $1 }
        }
        for case .failure(let error)? in outcomes { throw error.underlying }
        return outcomes
    }
}
