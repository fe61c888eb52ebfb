// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Keeps responses in memory. The responses that were not used for the longest time are dropped first.
public final class MemoryHTTPResponseStore: HTTPResponseStore {
    private struct State {
        var responses: [String: (response: StoredHTTPResponse, bytes: Int, lastUse: UInt64)] = [:]
        var bytes = 0
        var uses: UInt64 = 0

        mutating func use() -> UInt64 {
            uses += 1
            return uses
        }

        mutating func remove(_ url: String) {
            bytes -= responses.removeValue(forKey: url)?.bytes ?? 0
        }
    }

    private let maximumBytes: Int
    private let maximumResponses: Int
    private let state = Mutex(State())

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - maximumBytes: The largest number of bytes that all responses together occupy. The default is 10 MiB. It
    ///     counts the memory of the bodies, the URLs, the names (twice) and values of all fields, and 200 bytes for
    ///     each field and each response. A larger response is not stored.
    ///   - maximumResponses: The largest number of responses. The default is 1000.
    public init(maximumBytes: Int = 10 << 20, maximumResponses: Int = 1000) {
        self.maximumBytes = maximumBytes
        self.maximumResponses = maximumResponses
    }

    /// The number of responses.
    public var count: Int { state.withLock { $0.responses.count } }

    public func response(for url: String) async -> StoredHTTPResponse? {
        state.withLock { state in
            let use = state.use()
            state.responses[url]?.lastUse = use
            return state.responses[url]?.response
        }
    }

    public func store(_ response: StoredHTTPResponse) async {
        let bytes = response.heldBytes
        state.withLock { state in
            state.remove(response.url)
            guard bytes <= maximumBytes, maximumResponses > 0 else { return }
            while state.bytes > maximumBytes - bytes || state.responses.count >= maximumResponses,
                let oldest = state.responses.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.remove(oldest.key)
            }
            state.responses[response.url] = (response, bytes, state.use())
            state.bytes += bytes
        }
    }

    /// Drops all responses.
    public func removeAll() { state.withLock { $0 = State() } }
}
