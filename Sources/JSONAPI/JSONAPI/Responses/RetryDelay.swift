// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import HTTPRequests
import HTTPTypes

extension ServerResponse {
    /// The time that the server asks to wait, from now.
    static func delay(_ fields: HTTPFields) -> Duration? {
        let now = Date()
        return fields[values: .retryAfter].first.flatMap { RetryAfter($0, now: now) }?.delay(from: now)
    }
}
