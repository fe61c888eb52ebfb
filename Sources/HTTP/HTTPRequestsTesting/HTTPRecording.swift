// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
public import HTTPRequests
public import HTTPTypes
import TaskWaits
import WireJSON

/// Requests and responses that a ``RecordingHTTPTransport`` records and a ``ReplayingHTTPTransport`` repeats.
///
/// The values of `Authorization`, `Proxy-Authorization`, `Cookie` and `Set-Cookie`, and of query items with names such
/// as `token` and `api_key`, are recorded as `REDACTED`. Bodies are recorded as they are.
public struct HTTPRecording: Codable, Sendable, Hashable {
    /// A request and its response.
    public struct Exchange: Codable, Sendable, Hashable {
        /// The method.
        public var method: String
        /// The URL, without secrets.
        public var url: String
        /// The names and values of the request's fields, in order.
        public var requestFields: [[String]]
        /// `nil` if the request has no body.
        public var requestBody: Body?
        /// The status code.
        public var status: Int
        /// The names and values of the response's fields, in order.
        public var responseFields: [[String]]
        /// The body of the response; empty if the response has no content.
        public var responseBody: Body

        /// Makes an exchange. Fields are pairs of a name and a value.
        public init(
            method: String, url: String, requestFields: [[String]] = [], requestBody: Body? = nil, status: Int,
            responseFields: [[String]] = [], responseBody: Body
        ) {
            self.method = method
            self.url = url
            self.requestFields = requestFields
            self.requestBody = requestBody
            self.status = status
            self.responseFields = responseFields
            self.responseBody = responseBody
        }
    }

    /// A body: a text if it is valid UTF-8, and otherwise hexadecimal digits.
    public struct Body: Codable, Sendable, Hashable {
        /// The text; `nil` if the bytes are not valid UTF-8.
        public var text: String?
        /// The bytes as hexadecimal digits; `nil` if there is a text.
        public var hex: String?

        public init(_ bytes: [UInt8]) {
            text = String(validating: bytes, as: UTF8.self)
            if text == nil {
                hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            }
        }

        /// The bytes; `nil` if the digits are malformed.
        public var bytes: [UInt8]? {
            if let text { return Array(text.utf8) }
            let digits = Array((hex ?? "").utf8).map { Character(Unicode.Scalar($0)).hexDigitValue }
            guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
            let values = digits.compactMap { $0 }
            return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
        }
    }

    /// The exchanges, in the order in which they ended.
    public var exchanges: [Exchange]

    public init(exchanges: [Exchange] = []) { self.exchanges = exchanges }

    /// Reads a recording from a JSON file.
    ///
    /// - Throws: An `HTTPBodyError` if the file cannot be read; a `DecodingError` if it is not a recording.
    public init(contentsOf path: String) async throws {
        let stream = try await HTTPBodyEntity(content: .file(path: path)).makeStream()
        self = try WireJSONDecoder().decode(Self.self, from: try await stream.collect(upTo: 1 << 30))
    }

    /// Writes the recording as a JSON file, in a form that is suited for version control.
    ///
    /// - Throws: An ``HTTPRecordingError`` if the file cannot be written.
    public func write(to path: String) throws {
        var encoder = WireJSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let bytes: [UInt8] = try encoder.encode(self) + [UInt8(ascii: "\n")]
        guard let file = fopen(path, "w") else { throw HTTPRecordingError.cannotWrite(path: path) }
        let written = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, written == bytes.count else { throw HTTPRecordingError.cannotWrite(path: path) }
    }
}

/// A failure of recording or replaying.
public enum HTTPRecordingError: Error, Hashable {
    /// The file cannot be written.
    case cannotWrite(path: String)
    /// The recording holds no response to a request, or too few.
    case noResponse(String)
    /// An exchange of the recording holds a malformed body, status or field.
    case malformed(String)
}

/// A transport that records requests and their responses.
///
/// Bodies are read into memory. Requests that fail are not recorded.
public final class RecordingHTTPTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let maximumBytes: Int
    private let exchanges = Watched<[HTTPRecording.Exchange]>([])

    /// Makes a recording transport.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests.
    ///   - maximumBytes: The largest body of a response. The default is 10 MiB.
    public init(over transport: any HTTPTransport, maximumBytes: Int = 10 << 20) {
        self.transport = transport
        self.maximumBytes = maximumBytes
    }

    /// The exchanges so far.
    public var recording: HTTPRecording { HTTPRecording(exchanges: exchanges.value) }

    public func send(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
    ) async throws -> ReceivedHTTPResponse {
        let bytes = try await body?.bytes(reportingTo: nil)
        let entity = bytes.map { HTTPBodyEntity(contentType: body?.contentType, content: .bytes($0)) }
        var response = try await transport.send(request, body: entity, context: context)
        let content = try await response.body.collect(upTo: maximumBytes)
        let exchange = HTTPRecording.Exchange(
            method: request.method.rawValue, url: HTTPRedaction.standard.url(of: request),
            requestFields: request.headerFields.recorded, requestBody: bytes.map(HTTPRecording.Body.init),
            status: response.head.status.code, responseFields: response.head.headerFields.recorded,
            responseBody: HTTPRecording.Body(content))
        exchanges.update { $0.append(exchange) }
        response.body = HTTPByteStream(content)
        return response
    }
}

/// A transport that answers from a recording.
///
/// A request is answered by the first exchange that was not used before and has the same method, URL and body.
public final class ReplayingHTTPTransport: HTTPTransport {
    private let exchanges: Watched<[HTTPRecording.Exchange]>

    public init(_ recording: HTTPRecording) { exchanges = Watched(recording.exchanges) }

    /// The exchanges that were not used.
    public var remaining: [HTTPRecording.Exchange] { exchanges.value }

    public func send(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
    ) async throws -> ReceivedHTTPResponse {
        let bytes = try await body?.bytes(reportingTo: context.uploadProgress)
        let url = HTTPRedaction.standard.url(of: request)
        let found = exchanges.update { exchanges in
            exchanges.firstIndex {
                $0.method == request.method.rawValue && $0.url == url && $0.requestBody?.bytes == bytes
            }.map { exchanges.remove(at: $0) }
        }
        guard let exchange = found else { throw HTTPRecordingError.noResponse("\(request.method) \(url)") }
        guard let content = exchange.responseBody.bytes, 100...999 ~= exchange.status,
            let fields = HTTPFields(recorded: exchange.responseFields)
        else { throw HTTPRecordingError.malformed("\(request.method) \(url)") }
        return ReceivedHTTPResponse(
            HTTPResponse(status: .init(code: exchange.status), headerFields: fields), body: HTTPByteStream(content))
    }
}

extension HTTPFields {
    /// Names and values, without secrets.
    var recorded: [[String]] { map { [$0.name.rawName, HTTPRedaction.standard.value(of: $0)] } }

    init?(recorded: [[String]]) {
        self.init()
        for field in recorded {
            guard field.count == 2, let name = HTTPField.Name(field[0]) else { return nil }
            append(HTTPField(name: name, value: field[1]))
        }
    }
}
