// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials
import Synchronization

/// The protocols that a type of a body or of a response conforms to.
///
/// Finding out that a type does not conform to a protocol takes hundreds of instructions, so each type is asked once.
struct TypeConformances: Sendable {
    let canBeAbsent: Bool
    let isResponse: Bool
    let isOptional: Bool
    let isDecodable: Bool

    private init(asking type: Any.Type) {
        canBeAbsent = type is any PossiblyAbsentBody.Type
        isResponse = type is any HTTPAPIResponse.Type
        isOptional = type is any OptionalDecodable.Type
        isDecodable = type is any Decodable.Type
    }

    private static let known = Mutex<[ObjectIdentifier: TypeConformances]>([:])

    static func of(_ type: Any.Type) -> TypeConformances {
        let key = ObjectIdentifier(type)
        if let facts = known.withLock({ $0[key] }) { return facts }
        let facts = TypeConformances(asking: type)
        known.withLock { $0[key] = facts }
        return facts
    }

    /// Returns the `Accept` field for a type of response; `nil` for none.
    static func accept(for type: Any.Type, decoder: any HTTPResponseDecoder) -> String? {
        let facts = TypeConformances.of(type)
        if facts.isResponse, let response = type as? any HTTPAPIResponse.Type { return response.accept }
        if type == [UInt8].self || type == Data.self || type == String.self { return nil }
        if facts.isOptional, let optional = type as? any OptionalDecodable.Type {
            return accept(for: optional.wrapped, decoder: decoder)
        }
        return facts.isDecodable ? decoder.mediaType : nil
    }
}
