// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import HTTPSyntax
public import HTTPTypes

/// A body of `multipart/form-data` (RFC 7578).
///
/// Files and streams are read while the body is sent. The body has a known length if all its parts have, and can be
/// sent again if all its parts can.
public struct MultipartHTTPBody: HTTPBody {
    /// One part of the body.
    public struct Part: Sendable {
        /// The name of the field.
        public var name: String
        /// The name of the file; `nil` for a part that is not a file.
        public var fileName: String?
        /// The value of the part's `Content-Type`; `nil` for that of ``body``.
        public var contentType: String?
        /// Further header fields of the part. `Content-Disposition` and `Content-Type` are ignored here.
        public var headerFields: HTTPFields = [:]
        /// The content.
        public var body: any HTTPBody

        /// Makes a part of a text, without a content type. Servers assume UTF-8.
        public init(_ name: String, _ text: String) {
            self.init(name, body: DataHTTPBody(text.utf8, contentType: nil))
        }

        /// Makes a part of bytes. Without `contentType`, the part has no content type.
        public init(
            _ name: String, bytes: some Sequence<UInt8>, fileName: String? = nil, contentType: String? = nil
        ) {
            self.init(name, body: DataHTTPBody(bytes, contentType: contentType), fileName: fileName)
        }

        /// Makes a part of a file.
        ///
        /// - Parameters:
        ///   - name: The name of the field.
        ///   - path: The path of the file.
        ///   - fileName: The name that the server gets. The default is the last component of the path.
        ///   - contentType: The content type. The default follows from the extension of the path.
        public init(_ name: String, filePath path: String, fileName: String? = nil, contentType: String? = nil) {
            self.init(
                name, body: FileHTTPBody(path: path, contentType: contentType),
                fileName: fileName ?? FileExtensions.name(ofPath: path))
        }

        /// Makes a part of any body, such as a ``JSONHTTPBody`` or a ``StreamHTTPBody``.
        public init(_ name: String, body: any HTTPBody, fileName: String? = nil, contentType: String? = nil) {
            self.name = name
            self.body = body
            self.fileName = fileName
            self.contentType = contentType
        }
    }

    /// The parts, in the order of sending.
    public var parts: [Part]
    /// The boundary: 1 to 70 of the characters that RFC 2046 §5.1.1 allows. The default, `nil`, is a random one for
    /// each request, of 32 letters and digits.
    public var boundary: String?

    public init(_ parts: [Part], boundary: String? = nil) {
        self.parts = parts
        self.boundary = boundary
    }

    /// Makes the content. If all parts are in memory, the content is one array.
    ///
    /// - Throws: An ``HTTPBodyError`` if the boundary is illegal or occurs in a part in memory, a file cannot be read,
    ///   or a header field has a control character; the errors of the parts' bodies.
    public func buildEntity() throws -> HTTPBodyEntity {
        let entities = try parts.map { try $0.body.buildEntity() }
        let boundary = try boundary(for: entities)
        var pieces: [MultipartPiece] = []
        for (part, entity) in zip(parts, entities) {
            pieces.append(.bytes(Array("--\(boundary)\r\n\(try part.head(entity))\r\n".utf8)))
            pieces.append(try MultipartPiece(entity))
            pieces.append(.bytes([0x0D, 0x0A]))
        }
        pieces.append(.bytes(Array("--\(boundary)--\r\n".utf8)))
        return HTTPBodyEntity(
            contentType: "multipart/form-data; boundary=\(FieldText.parameterValue(boundary))",
            content: MultipartPiece.content(of: pieces))
    }

    private func boundary(for entities: [HTTPBodyEntity]) throws(HTTPBodyError) -> String {
        guard let boundary else {
            while true {
                var random = SystemRandomNumberGenerator()
                let boundary = MultipartBoundary.random(using: &random)
                if firstPart(of: entities, with: boundary) == nil { return boundary }
            }
        }
        guard MultipartBoundary.isLegal(boundary) else { throw .illegalBoundary(boundary) }
        if let index = firstPart(of: entities, with: boundary) { throw .boundaryInPart(name: parts[index].name) }
        return boundary
    }

    private func firstPart(of entities: [HTTPBodyEntity], with boundary: String) -> Int? {
        entities.firstIndex { entity in
            guard case .bytes(let bytes) = entity.content else { return false }
            return MultipartBoundary.occurs(boundary, in: bytes)
        }
    }
}

extension MultipartHTTPBody.Part {
    /// The header of the part, with the line breaks after its fields.
    fileprivate func head(_ entity: HTTPBodyEntity) throws(HTTPBodyError) -> String {
        var head = "Content-Disposition: form-data; name=\"\(Self.escaped(name))\""
        if let fileName { head += "; filename=\"\(Self.escaped(fileName))\"" }
        head += "\r\n"
        if let contentType = contentType ?? entity.contentType {
            guard HTTPField.isValidValue(contentType) else { throw .illegalPartHeader(name: name) }
            head += "Content-Type: \(contentType)\r\n"
        }
        for field in headerFields where field.name != .contentDisposition && field.name != .contentType {
            guard HTTPField.isValidValue(field.value) else { throw .illegalPartHeader(name: name) }
            head += "\(field.name): \(field.value)\r\n"
        }
        return head
    }

    /// Escapes a name as browsers do (HTML Standard, multipart/form-data encoding algorithm), that is quotes and line
    /// breaks. Other control characters are escaped, too.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") {
                PercentEncoding.append(byte, to: &bytes)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The text between the parts of a multipart body (RFC 2046 §5.1.1).
enum MultipartBoundary {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// Returns a random boundary of 32 letters and digits (190 bits).
    static func random(using generator: inout some RandomNumberGenerator) -> String {
        String(
            decoding: (0..<32).map { _ in alphabet[Int.random(in: alphabet.indices, using: &generator)] },
            as: UTF8.self)
    }

    static func isLegal(_ boundary: String) -> Bool {
        (1...70).contains(boundary.utf8.count) && boundary.utf8.last != 0x20
            && boundary.utf8.allSatisfy { FieldText.isLetterOrDigit($0) || "'()+_,-./:=? ".utf8.contains($0) }
    }

    /// Whether the bytes contain the boundary behind two hyphens, at the start of a line or elsewhere.
    static func occurs(_ boundary: String, in bytes: [UInt8]) -> Bool {
        let delimiter = Array("--\(boundary)".utf8)
        return bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            var offset = 0
            while bytes.count - offset >= delimiter.count {
                let places = bytes.count - offset - delimiter.count + 1
                guard let found = memchr(start + offset, Int32(UInt8(ascii: "-")), places) else { return false }
                if memcmp(found, delimiter, delimiter.count) == 0 { return true }
                offset = start.distance(to: found) + 1
            }
            return false
        }
    }
}
