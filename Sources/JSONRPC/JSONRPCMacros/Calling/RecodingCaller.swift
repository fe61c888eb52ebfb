// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import JSONRPCSession
import WireJSON

extension JSONRPCCaller {
    /// Returns a caller that makes the calls of this one, and that encodes params and decodes results with another
    /// coder: `CalendarProxy(over: client.coding(with: .isoDates))`.
    public func coding(with coder: any MessageCoder) -> some JSONRPCCaller { RecodingCaller(base: self, coder: coder) }
}

private struct RecodingCaller: JSONRPCCaller {
    let base: any JSONRPCCaller
    let coder: any MessageCoder

    func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        try await base.callRaw(method, params: params, timeout: timeout, options: options)
    }

    func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws {
        try await base.notifyRaw(method, params: params, options: options)
    }

    func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, CallError>?] {
        try await base.batch(entries, timeout: timeout)
    }

    func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        try await base.batch(entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
    }
}
