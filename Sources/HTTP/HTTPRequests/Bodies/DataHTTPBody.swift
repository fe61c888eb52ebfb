// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A body of bytes in memory.
public struct DataHTTPBody: HTTPBody, Hashable {
    /// The bytes.
    public var bytes: [UInt8]
    /// The value of `Content-Type`; `nil` for none. The default is `application/octet-stream`.
    public var contentType: String?

    /// Makes a body of an array, of `Data`, or of other bytes.
    public init(_ bytes: some Sequence<UInt8>, contentType: String? = "application/octet-stream") {
        self.bytes = Array(bytes)
        self.contentType = contentType
    }

    /// Returns the bytes.
    public func buildEntity() -> HTTPBodyEntity { HTTPBodyEntity(contentType: contentType, content: .bytes(bytes)) }
}

extension DataHTTPBody: CustomStringConvertible {
    /// The media type and the number of bytes.
    public var description: String { "\(contentType ?? "no media type"), \(bytes.count) bytes" }
}

/// A body of text in UTF-8.
public struct StringHTTPBody: HTTPBody, Hashable, ExpressibleByStringInterpolation {
    /// The text.
    public var text: String
    /// The value of `Content-Type`. The default is `text/plain; charset=utf-8`.
    public var contentType: String

    public init(_ text: String, contentType: String = "text/plain; charset=utf-8") {
        self.text = text
        self.contentType = contentType
    }

    /// Makes a body of a literal, as `text/plain; charset=utf-8`.
    public init(stringLiteral text: String) { self.init(text) }

    /// Returns the text in UTF-8.
    public func buildEntity() -> HTTPBodyEntity {
        HTTPBodyEntity(contentType: contentType, content: .bytes(Array(text.utf8)))
    }
}
