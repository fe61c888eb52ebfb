// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCHTTP

/// A session that makes its calls with a client of the library.
protocol CallerSession: PeerSession {
    var caller: any JSONRPCCaller { get }
    /// The rest of `--timeout` if it limits the whole command; `nil` if it limits each call.
    var budget: TimeBudget? { get }

    /// Returns the error that a command throws for an error of the library.
    func failure(_ error: any Error) -> any Error
}

extension CallerSession {
    /// The timeout of a call that begins now.
    var timeout: CallTimeout {
        guard let budget else { return .default }
        return budget.rest.map { .after($0) } ?? .none
    }

    func call(_ method: String, params: RawJSON?, extraMembers: ExtraMembers) async throws -> RawJSON {
        do {
            return try await caller.callRaw(
                method, params: params, timeout: timeout, options: CallOptions(extraMembers: extraMembers))
        } catch {
            throw failure(error)
        }
    }

    func notify(_ method: String, params: RawJSON?, extraMembers: ExtraMembers) async throws {
        do {
            try await caller.notifyRaw(method, params: params, options: CallOptions(extraMembers: extraMembers))
        } catch {
            throw failure(error)
        }
    }

    func batch(_ lines: [BatchLine]) async throws -> [Result<RawJSON, any Error>?] {
        let entries = lines.map {
            BatchEntry(
                method: $0.method, params: $0.params, isNotification: $0.isNotification,
                options: CallOptions(extraMembers: $0.extraMembers))
        }
        do {
            return try await caller.batch(entries, timeout: .default).map { $0?.mapError { failure($0.underlying) } }
        } catch {
            throw failure(error)
        }
    }
}
