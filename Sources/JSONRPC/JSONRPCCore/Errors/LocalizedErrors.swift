// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// Without these, `localizedDescription` would be "The operation could not be completed".

extension ClientError: LocalizedError {
    public var errorDescription: String? { description }
}

extension CallError: LocalizedError {
    public var errorDescription: String? { description }
}

extension ErrorObject: LocalizedError {
    public var errorDescription: String? { description }
}
