// swift-jsonrpc · SPDX-License-Identifier: MIT

public import FoundationEssentials
import HTTPSyntax
public import HTTPTypes

/// Makes the URL of a request from a base, a path and a query.
///
/// The parts are joined as texts, by rules that no version of Foundation changes:
///
/// - An empty path leaves the base as it is.
/// - A base that does not end with `/` and a path are joined with exactly one `/`.
/// - A base that ends with `/` keeps it, and so does the path: `https://example.com/api/` and `/foo` make
///   `https://example.com/api//foo`.
/// - Slashes within the base and the path are kept.
/// - The query of the base is kept, and the query items follow it.
public enum RequestURL {
    /// The segment that ``pathSegment(_:)`` makes of an empty text. `%{` is not an escape, so the path is refused.
    static let emptySegmentMark = "%{empty}"

    /// Makes the head of a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - baseURL: An absolute URL with a host. It has no user name, password or fragment.
    ///   - path: The path below the base, in which reserved characters that are data are percent-encoded. Non-ASCII
    ///     characters, quotes, backslashes, braces, and other printable characters that a path cannot hold are encoded
    ///     here.
    ///   - queryItems: The query items, not yet encoded.
    ///   - encoding: The encoding of the query items. The default is ``HTTPQueryEncoding/rfc3986``.
    ///   - headerFields: The header fields.
    /// - Throws: A ``RequestURLError``. No part of a URL can add a header field or another request.
    public static func makeRequest(
        method: HTTPRequest.Method, baseURL: URL, path: String, queryItems: [HTTPQueryItem] = [],
        encoding: HTTPQueryEncoding = .rfc3986, headerFields: HTTPFields = [:]
    ) throws(RequestURLError) -> HTTPRequest {
        let parts = try joined(baseURL: baseURL.absoluteString, path, encoding.encode(queryItems))
        return HTTPRequest(
            method: method, scheme: parts.scheme, authority: parts.authority, path: parts.target,
            headerFields: headerFields)
    }

    /// Joins a base, a path and query items to the text of a URL.
    ///
    /// - Throws: A ``RequestURLError``.
    public static func join(
        baseURL: String, path: String, queryItems: [HTTPQueryItem] = [], encoding: HTTPQueryEncoding = .rfc3986
    ) throws(RequestURLError) -> String {
        try joined(baseURL: baseURL, path, encoding.encode(queryItems)).text
    }

    private static func joined(
        baseURL: String, _ path: String, _ query: String
    ) throws(RequestURLError) -> URLParts {
        var parts = try URLParts(parsing: baseURL)
        let path = try checkedPath(path)
        if !path.isEmpty {
            let slash = UInt8(ascii: "/")
            let needsSlash = parts.path.utf8.last != slash && path.utf8.first != slash
            let joined = needsSlash ? "/" + path : path
            parts.path = parts.path.isEmpty ? joined : parts.path + joined
        }
        if !query.isEmpty {
            // An empty query of the base (`https://example.com?`) needs no `&`.
            parts.query = parts.query.map { $0.isEmpty ? query : $0 + "&" + query } ?? query
        }
        return parts
    }

    private static func checkedPath(_ path: String) throws(RequestURLError) -> String {
        // Most paths are written as they are sent, and have no segment that could begin with a dot.
        let plain = ASCIISet.path
        if path.utf8.allSatisfy({ $0 != UInt8(ascii: ".") && plain.contains($0) }) { return path }
        let text = Array(path.utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for (index, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "?"): throw RequestURLError(.queryInPath, path)
            case UInt8(ascii: "#"): throw RequestURLError(.fragment, path)
            case 0...0x20, 0x7F: throw RequestURLError(.illegalCharacter, path)
            case UInt8(ascii: "%"):
                guard PercentEncoding.decodedByte(at: text[index...]) != nil else {
                    let isEmptySegment = path.contains(emptySegmentMark)
                    throw RequestURLError(isEmptySegment ? .emptySegment : .malformedEscape, path)
                }
                bytes.append(byte)
            default: PercentEncoding.append(byte, keeping: plain, to: &bytes)
            }
        }
        // A segment can only begin with a dot, plain or encoded, if there is one of these bytes.
        if bytes.contains(UInt8(ascii: ".")) || bytes.contains(UInt8(ascii: "%")) {
            for segment in bytes.split(separator: UInt8(ascii: "/")) where isDotSegment(segment) {
                throw RequestURLError(.dotSegment, path)
            }
        }
        return bytes == text ? path : String(decoding: bytes, as: UTF8.self)
    }

    /// Whether servers treat a segment as `.` or `..`, plain or percent-encoded.
    private static func isDotSegment(_ segment: ArraySlice<UInt8>) -> Bool {
        guard segment.count <= 6 else { return false }
        let text = String(decoding: segment, as: UTF8.self).lowercased()
        return [".", "..", "%2e", "%2e.", ".%2e", "%2e%2e"].contains(text)
    }

    /// Percent-encodes a text so that it is one segment of a path: `a/b?c` becomes `a%2Fb%3Fc`.
    ///
    /// Servers do not keep the empty text, `.` and `..` as a segment, even if they are encoded. They become text that
    /// ``makeRequest(method:baseURL:path:queryItems:encoding:headerFields:)`` refuses.
    public static func pathSegment(_ text: String) -> String {
        text.isEmpty ? emptySegmentMark : PercentEncoding.encoded(text, keeping: .unreserved)
    }
}

extension DefaultStringInterpolation {
    /// Inserts a value as one segment of a path: `"/repos/\(segment: owner)/\(segment: name)"`.
    ///
    /// It is percent-encoded, so that it cannot add segments, a query or a fragment. A request with an empty value, `.`
    /// or `..` fails to build; see ``RequestURL/pathSegment(_:)``.
    public mutating func appendInterpolation(segment value: some LosslessStringConvertible) {
        appendInterpolation(RequestURL.pathSegment(value.description))
    }
}

/// A URL that cannot be requested.
public struct RequestURLError: Error, Sendable, Hashable {
    /// The kind of a fault.
    public enum Reason: Sendable, Hashable {
        /// The base URL has no scheme or no host.
        case notAbsolute
        /// The host of the base URL is malformed, or its port is not a number from 1 to 65535.
        case malformedHost
        /// The base URL holds a user name or a password.
        case userInformation
        /// The base URL or the path holds `#`.
        case fragment
        /// The path holds `?`.
        case queryInPath
        /// The path holds a space or a control character, or the base URL holds a character that URLs must not hold.
        case illegalCharacter
        /// A `%` is not followed by two hexadecimal digits.
        case malformedEscape
        /// A segment of the path is `.` or `..`, plain or encoded.
        case dotSegment
        /// A text inserted with `\(segment:)` is empty.
        case emptySegment
    }

    /// The kind of the fault.
    public let reason: Reason
    /// The base URL or the path. It is empty if it would disclose a password.
    public let text: String

    init(_ reason: Reason, _ text: String) {
        self.reason = reason
        self.text = reason == .userInformation ? "" : text
    }
}

extension RequestURLError: CustomStringConvertible {
    /// The base URL or the path, its fault, and what to do.
    public var description: String {
        let shown = String(reflecting: String(text.unicodeScalars.prefix(200)))
        return switch reason {
        case .notAbsolute: "The base URL \(shown) needs a scheme and a host, such as `https://example.com`."
        case .malformedHost:
            "The host or the port of the base URL \(shown) is not valid. A port is a number from 1 to 65535."
        case .userInformation:
            "The base URL holds a user name or a password. Send an `Authorization` field instead."
        case .fragment: "\(shown) holds `#`. Fragments are not sent to servers; use `\\(segment:)` for data."
        case .queryInPath: "The path \(shown) holds `?`. Use `queryItems` for a query, or `\\(segment:)` for data."
        case .illegalCharacter:
            "\(shown) holds a space or a character that is not allowed in a URL. Use `\\(segment:)` for data."
        case .malformedEscape:
            "\(shown) holds a `%` without two hexadecimal digits after it. Use `\\(segment:)` for data."
        case .dotSegment: "The path \(shown) holds a `.` or `..` segment, which servers resolve to another path."
        case .emptySegment: "A text inserted with `\\(segment:)` into the path \(shown) is empty."
        }
    }
}
