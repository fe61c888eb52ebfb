// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCCore
package import JSONRPCSession
import WireJSON

extension JSONRPCCaller {
    /// Sends a batch in a task of its own, and returns the outcomes as they arrive, each with the index of its request,
    /// so that a test can act between them.
    package func outcomesAsTheyCome<Request: JSONRPCRequest>(
        _ requests: [Request], timeout: CallTimeout = .default
    ) throws -> AsyncStream<(index: Int, result: Result<Request.Response, CallError>)> {
        let coder = coder
        let entries = try requests.map { request in
            BatchEntry(
                method: request.method, params: try request.encodedParams(using: coder),
                isNotification: Request.isNotification)
        }
        let (stream, continuation) = AsyncStream.makeStream(
            of: (index: Int, result: Result<Request.Response, CallError>).self)
        Task {
            try await batch(entries, timeout: timeout, pace: .asTheyCome) { index, outcome in
                continuation.yield((index, requests[index].outcome(of: outcome, using: coder)))
            }
            continuation.finish()
        }
        return stream
    }
}
