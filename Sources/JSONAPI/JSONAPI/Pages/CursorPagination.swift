// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The cursor pagination profile of JSON:API.
///
/// ``JSONAPIQuery/Page/cursor(after:before:size:)`` makes its parameters. Apply ``profile`` with
/// ``JSONAPIClient/Options/profiles`` or ``JSONAPIRequest/profiles``.
public enum CursorPagination {
    /// The URI of the profile.
    public static let profile = "http://jsonapi.org/profiles/ethanresnick/cursor-pagination/"

    /// A reason why a server refuses a page.
    public enum Refusal: Sendable, Hashable {
        /// The server does not page collections that are sorted in this way.
        case unsupportedSort
        /// The page is larger than the server allows.
        ///
        /// - Parameter maximum: The largest page, if the server reports it.
        case pageTooLarge(maximum: Int?)
        /// The server does not support `page[after]` together with `page[before]`.
        case rangesUnsupported
    }

    /// A member of `page` in meta information. Meta information in another form is ignored.
    private static func page<Value: Decodable>(_ name: String, in meta: RawObject?) -> Value? {
        meta?["page"].flatMap { RawObject($0) }?[name].flatMap { try? $0.decode() }
    }

    /// Returns the cursor in the meta information of a resource or of a reference. It is `nil` if there is none.
    public static func cursor(in meta: RawObject?) -> String? { page("cursor", in: meta) }

    /// Returns the reason of an error, or `nil` if its type is not of the profile.
    public static func refusal(_ error: JSONAPIErrorObject) -> Refusal? {
        // In the examples of the profile, the member is an array.
        let array = error.links?.additionalMembers["type"].flatMap { try? $0.decode(as: [JSONAPILink].self) }
        let types = error.links?["type"].map { [$0] } ?? array ?? []
        for type in types.compactMap(\.href) {
            switch type.split(separator: "/").last {
            case _ where !type.contains("jsonapi.org/profiles/ethanresnick/cursor-pagination"): break
            case "unsupported-sort": return .unsupportedSort
            case "max-size-exceeded": return .pageTooLarge(maximum: page("maxSize", in: error.meta))
            case "range-pagination-not-supported": return .rangesUnsupported
            default: break
            }
        }
        return nil
    }
}
