// swift-jsonrpc · SPDX-License-Identifier: MIT

public import FoundationEssentials

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
