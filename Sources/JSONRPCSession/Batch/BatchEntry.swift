// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// A member of a batch (JSON-RPC 2.0 §6).
public struct BatchEntry: Sendable {
    public var method: String
    /// An array or an object; nil for none.
    public var params: RawJSON?
    /// True when there is nothing to answer.
    public var isNotification: Bool
    public var options: CallOptions

    /// A member whose params are JSON already.
    public init(
        method: String, params: RawJSON? = nil, isNotification: Bool = false, options: CallOptions = CallOptions()
    ) {
        self.method = method
        self.params = params
        self.isNotification = isNotification
        self.options = options
    }

    /// A call without params.
    public static func call(_ method: String) -> BatchEntry { BatchEntry(method: method) }

    /// A call.
    ///
    /// - Throws: what encoding the params throws.
    public static func call(
        _ method: String, params: some Encodable, using coder: any MessageCoder = .wireJSON
    ) throws -> BatchEntry {
        BatchEntry(method: method, params: try coder.encode(params))
    }

    /// A call with params as a literal, whose values may have different types.
    public static func call(_ method: String, params: JSONValue) -> BatchEntry {
        BatchEntry(method: method, params: params.isNull ? nil : RawJSON(params))
    }

    /// A notification without params.
    public static func notification(_ method: String) -> BatchEntry {
        BatchEntry(method: method, isNotification: true)
    }

    /// A notification with params as a literal, whose values may have different types.
    public static func notification(_ method: String, params: JSONValue) -> BatchEntry {
        BatchEntry(method: method, params: params.isNull ? nil : RawJSON(params), isNotification: true)
    }

    /// A notification.
    ///
    /// - Throws: what encoding the params throws.
    public static func notification(
        _ method: String, params: some Encodable, using coder: any MessageCoder = .wireJSON
    ) throws -> BatchEntry {
        BatchEntry(method: method, params: try coder.encode(params), isNotification: true)
    }
}

/// One array, whose members have no ids yet.
struct BatchDraft: Sendable {
    struct Member: Sendable {
        /// Where it lies in ``BatchDraft/bytes``: a request's tail, or a whole notification.
        var range: Range<Int>
        var isCall: Bool
    }

    /// The members' bytes, and perhaps those of other arrays.
    var bytes: [UInt8]
    var members: ArraySlice<Member>
    /// The calls' ids, where they come from a generator of the program's; else none.
    var ids: [RequestID] = []
    var collector: BatchCollector

    /// The members' places among all that the collector gathers.
    var indices: Range<Int> { members.indices }
}
