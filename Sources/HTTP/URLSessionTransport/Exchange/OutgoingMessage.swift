// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import HTTPRequests
import HTTPSyntax
import HTTPTypes

/// A request in the form that `URLSession` takes.
struct OutgoingMessage: Sendable {
    var request: URLRequest
    /// The file to send as the body; `nil` if the request holds the body, or has none.
    var file: URL?

    /// - Throws: An ``HTTPTransportError`` if the request cannot be sent; an error of the stream for the body.
    init(_ head: HTTPRequest, body: HTTPBodyEntity?, collectingUpTo limit: Int) async throws {
        request = URLRequest(url: try Self.url(of: head))
        request.httpMethod = head.method.rawValue
        // The session would end the request after 60 seconds without a byte. That limit is enforced above.
        request.timeoutInterval = 365 * 24 * 3600
        for field in head.headerFields where field.name != .contentLength && field.name != .transferEncoding {
            request.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        switch body?.content {
        case nil: break
        case .bytes(let bytes): request.httpBody = Data(bytes)
        case .file(let path): file = try Self.file(path)
        case .stream(let length, _, let make):
            request.httpBody = Data(try await Self.collect(make(), length: length, limit: limit))
        }
        guard file != nil || request.httpBody?.isEmpty == false else { return }
        if head.method == .get {
            throw Self.invalid("URLSession does not send a body with the method GET.")
        }
        // The session would add the media type of a form.
        if head.headerFields[.contentType] == nil {
            request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        }
    }

    private static func url(of head: HTTPRequest) throws -> URL {
        guard let scheme = head.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw invalid("URLSession does not support the scheme '\(head.scheme ?? "")'.")
        }
        guard let authority = head.authority.flatMap(HTTPAuthority.init) else {
            throw HTTPTransportError.invalidAuthority(of: head)
        }
        guard !authority.host.hasPrefix("[") else {
            throw invalid(
                "URLSession on Linux does not support IPv6 addresses such as '\(authority.host)'. Use a name, an IPv4 "
                    + "address, or AsyncHTTPClientTransport.")
        }
        let path = PercentEncoding.target(head.path ?? "/")
        let text = "\(scheme)://\(head.authority ?? "")\(path.hasPrefix("/") ? "" : "/")\(path)"
        guard let url = URL(string: text), let host = url.host, !host.isEmpty else {
            throw invalid("The request's URL '\(text)' is not valid.")
        }
        return url
    }

    private static func file(_ path: String) throws -> URL {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular,
            FileManager.default.isReadableFile(atPath: path)
        else {
            throw invalid("Could not read '\(path)' for the body of the request as a regular file.")
        }
        return URL(fileURLWithPath: path)
    }

    private static func collect(_ stream: HTTPByteStream, length: Int64?, limit: Int) async throws -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try await stream.collect(upTo: limit)
        } catch HTTPByteStreamError.tooLarge {
            throw invalid(
                "URLSession sends a stream from memory, and the body exceeds \(limit) bytes. The option "
                    + "`maximumCollectedBytes` raises this.")
        }
        if let length, length != bytes.count {
            throw invalid("The body of the request has \(bytes.count) bytes instead of the announced \(length).")
        }
        return bytes
    }

    private static func invalid(_ reason: String) -> HTTPTransportError {
        HTTPTransportError(.invalidRequest, reason, isRequestUnsent: true)
    }
}
