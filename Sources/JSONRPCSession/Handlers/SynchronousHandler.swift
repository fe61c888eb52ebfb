// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// Answers requests without waiting for anything.
///
/// The calls of a session which synchronous handlers answer are served one after the other, in the order in which
/// they came, in one task for all that have come so far; their answers go out together. That costs a fraction of a
/// task for each call. So such a handler must not block and should take microseconds: what takes longer belongs in
/// an `async` handler. It is not told when the peer gives the call up, and is answered all the same.
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
