// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// Serves requests in order, without a task for each.
///
/// The calls of a session that synchronous handlers serve are served one after the other, in the order in which they
/// came. One task serves all calls that have come so far, and their answers go out together, which costs a fraction of
/// a task for each call. So such a handler must not block, and should take microseconds: slower functions belong in
/// `JSONRPCEndpoint.handle`. The handler's task is not cancelled when the peer cancels the call.
public struct SynchronousHandler: Sendable {
    /// Appends the result to the bytes. What it appended before it throws is taken away.
    let write: @Sendable (InboundCall, inout [UInt8]) throws -> Void

    init(writing write: @escaping @Sendable (InboundCall, inout [UInt8]) throws -> Void) { self.write = write }

    /// Makes a handler whose answer is `null`.
    init(answeringNull handle: @escaping @Sendable (InboundCall) throws -> Void) {
        write = { call, bytes in
            try handle(call)
            bytes.append(contentsOf: "null".utf8)
        }
    }

    /// Makes a handler of a function that gives the result.
    public init(_ handler: @escaping @Sendable (InboundCall) throws -> RawJSON) {
        write = { call, bytes in bytes.append(contentsOf: try handler(call).bytes) }
    }
}

/// What answers the requests of a method.
enum RequestHandler: Sendable {
    case synchronous(SynchronousHandler)
    case asynchronous(@Sendable (InboundCall) async throws -> RawJSON)
}
