// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A type of body that can stand for no body.
protocol PossiblyAbsentBody {
    var isAbsent: Bool { get }
}

extension NoHTTPBody: PossiblyAbsentBody {
    var isAbsent: Bool { true }
}

/// A body that a request may have. `nil` sends no content and no `Content-Type`.
extension Optional: HTTPBody where Wrapped: HTTPBody {
    public func buildEntity() throws -> HTTPBodyEntity { try self?.buildEntity() ?? NoHTTPBody().buildEntity() }
}

extension Optional: PossiblyAbsentBody where Wrapped: HTTPBody {
    var isAbsent: Bool { self.map { ($0 as? any PossiblyAbsentBody)?.isAbsent ?? false } ?? true }
}

extension HTTPBody {
    /// The content; `nil` if the request has none.
    func entity() throws -> HTTPBodyEntity? {
        if TypeFacts.of(Self.self).canBeAbsent, let body = self as? any PossiblyAbsentBody, body.isAbsent { return nil }
        return try buildEntity()
    }
}
