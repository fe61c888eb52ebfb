// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// A call or a notification in a batch (JSON-RPC 2.0 §6).
public struct BatchEntry: Sendable {
    /// The name of the method.
    public var method: String
    /// An array or an object; `nil` for no params.
    public var params: RawJSON?
    /// Whether this is a notification, which gets no response.
    public var isNotification: Bool
    /// Extra members, and whether the call may be repeated.
    public var options: CallOptions

    /// Makes an entry with params as raw JSON.
    public init(
        method: String, params: RawJSON? = nil, isNotification: Bool = false, options: CallOptions = CallOptions()
    ) {
        self.method = method
        self.params = params
        self.isNotification = isNotification
        self.options = options
    }

    /// Makes a call.
    ///
    /// - Throws: The error of encoding the params.
    public static func call(
        _ method: String, params: some Encodable, using coder: any MessageCoder = .wireJSON
    ) throws -> BatchEntry {
        BatchEntry(method: method, params: try coder.encode(params))
    }

    /// A call without params, or with params as a literal, whose values may have different types.
    public static func call(_ method: String, params: JSONValue = nil) -> BatchEntry {
        BatchEntry(method: method, params: params.isNull ? nil : RawJSON(params))
    }

    /// A notification without params, or with params as a literal, whose values may have different types.
    public static func notification(_ method: String, params: JSONValue = nil) -> BatchEntry {
        BatchEntry(method: method, params: params.isNull ? nil : RawJSON(params), isNotification: true)
    }

    /// A notification.
    ///
    /// - Throws: The error of encoding the params.
    public static func notification(
        _ method: String, params: some Encodable, using coder: any MessageCoder = .wireJSON
    ) throws -> BatchEntry {
        BatchEntry(method: method, params: try coder.encode(params), isNotification: true)
    }
}
