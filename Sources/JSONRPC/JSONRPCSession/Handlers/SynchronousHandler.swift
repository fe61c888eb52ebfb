// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// A handler that serves requests in order, without a task for each.
///
/// All synchronous handlers of a session together serve one call at a time, in the order of arrival. One task serves
/// all calls that have arrived, and their answers are sent together. This costs much less than a task for each call. A
/// synchronous handler must not block, and should take microseconds. For slower functions use `JSONRPCEndpoint.handle`.
/// The handler's task is not cancelled when the peer cancels the call.
public struct SynchronousHandler: Sendable {
    /// Appends the result to the bytes. If it throws, the appended bytes are removed.
    let write: @Sendable (InboundCall, inout [UInt8]) throws -> Void

    init(writing write: @escaping @Sendable (InboundCall, inout [UInt8]) throws -> Void) { self.write = write }

    init(answeringNull handle: @escaping @Sendable (InboundCall) throws -> Void) {
        write = { call, bytes in
            try handle(call)
            bytes.append(contentsOf: "null".utf8)
        }
    }

    /// Makes a handler from a function that returns the result.
    public init(_ handler: @escaping @Sendable (InboundCall) throws -> RawJSON) {
        write = { call, bytes in bytes.append(contentsOf: try handler(call).bytes) }
    }
}

enum RequestHandler: Sendable {
    case synchronous(SynchronousHandler)
    case asynchronous(@Sendable (InboundCall) async throws -> RawJSON)
}
