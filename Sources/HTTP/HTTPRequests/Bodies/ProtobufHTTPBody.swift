// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A message in Protocol Buffers' binary format.
///
/// This module does not depend on a library for Protocol Buffers. With SwiftProtobuf, write once:
///
/// ```swift
/// extension ProtobufMessage where Self: SwiftProtobuf.Message {
///     init(protobufBytes bytes: [UInt8]) throws { try self.init(serializedBytes: bytes) }
///     func protobufBytes() throws -> [UInt8] { try serializedBytes() }
/// }
/// ```
///
/// Then each message type adopts the protocol in one line: `extension Person: ProtobufMessage {}`.
public protocol ProtobufMessage: Sendable {
    /// Parses a message in the binary format, and throws if the bytes are not such a message.
    init(protobufBytes bytes: [UInt8]) throws
    /// Returns the message in the binary format.
    func protobufBytes() throws -> [UInt8]
}

/// A body of a message in Protocol Buffers' binary format.
public struct ProtobufHTTPBody: HTTPBody {
    /// The value of `Content-Type`. The default is `application/protobuf`.
    public var contentType: String
    private let serialize: @Sendable () throws -> [UInt8]

    /// Makes a body of a message, which is serialized once for each request.
    public init(_ message: some ProtobufMessage, contentType: String = "application/protobuf") {
        self.init(contentType: contentType) { try message.protobufBytes() }
    }

    /// Makes a body of the bytes that a closure returns: `ProtobufHTTPBody { try person.serializedBytes() }`.
    ///
    /// The closure is called once for each request.
    public init(
        contentType: String = "application/protobuf", serialize: @escaping @Sendable () throws -> [UInt8]
    ) {
        self.contentType = contentType
        self.serialize = serialize
    }

    /// Serializes the message.
    ///
    /// - Throws: The error of the message.
    public func buildEntity() throws -> HTTPBodyEntity {
        HTTPBodyEntity(contentType: contentType, content: .bytes(try serialize()))
    }
}
