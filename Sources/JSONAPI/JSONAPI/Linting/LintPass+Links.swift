// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

extension LintPass {
    /// Checks the member `links` of an object.
    mutating func checkLinks(_ object: JSONObject) {
        objectMember(object, "links", .links) { pass, links in pass.eachMember(links) { $0.checkLink($1) } }
    }

    private mutating func checkLink(_ link: JSONValue) {
        switch link {
        case .null: break
        case .string(let reference): checkReference(reference)
        case .object(let object): checkLinkObject(object)
        default: report(.link, "the link is neither a string, an object nor `null`")
        }
    }

    private mutating func checkLinkObject(_ object: JSONObject) {
        checkDefined(object, ["href", "rel", "describedby", "title", "type", "hreflang", "meta"])
        switch object["href"] {
        case nil: report(.linkReference, "the link object has no `href`")
        case .string(let reference)?: inside("href") { $0.checkReference(reference) }
        case _?: report(.linkReference, "`href` is not a string", at: "href")
        }
        checkStrings(object, ["rel", "title", "type"], .linkObjectMember)
        if let languages = object["hreflang"], languages.stringValue == nil,
            languages.arrayValue?.allSatisfy({ $0.stringValue != nil }) != true
        {
            report(.linkObjectMember, "`hreflang` is neither a string nor an array of strings", at: "hreflang")
        }
        member(object, "describedby") { $0.checkLink($1) }
        checkMeta(object)
    }

    /// Reports characters that RFC 3986 §2 excludes. Square brackets are accepted anywhere, because the specification's own
    /// examples have them in queries, and so are characters beyond ASCII (RFC 3987).
    private mutating func checkReference(_ reference: String) {
        let isExcluded = { (byte: UInt8) in byte <= 0x20 || byte == 0x7F || Self.excluded.contains(byte) }
        if reference.utf8.contains(where: isExcluded) {
            report(.uriReference, "the link `\(reference)` is not a URI reference")
        }
    }

    private static let excluded = Set("\"<>\\^`{|}".utf8)
}
