// swift-jsonrpc · SPDX-License-Identifier: MIT

import CZlib
import HTTPTypes
import JSONRPCCore

/// The rules by which the bodies of POSTs are compressed with gzip (RFC 9110 §8.4.1.3).
///
/// ```swift
/// options.compression = RequestCompression()
/// ```
///
/// A server need not accept compressed requests, and cannot say so before the first one. If it answers a compressed
/// POST with the status 415, or with the error -32700 for the whole message, it has processed nothing: the POST is sent
/// again at once without compression, and the client compresses no more.
public struct RequestCompression: Sendable, Hashable {
    /// The smallest body that is compressed, in bytes. The default is 1024. A body that would not become smaller is
    /// sent as it is.
    public var minimumBytes = 1024

    public init(minimumBytes: Int = 1024) { self.minimumBytes = minimumBytes }

    /// Returns a body in the gzip format; `nil` if it is sent as it is.
    func compressed(_ body: [UInt8]) -> [UInt8]? {
        guard body.count >= minimumBytes, let bytes = Self.gzip(body), bytes.count < body.count else { return nil }
        return bytes
    }

    private static func gzip(_ input: [UInt8]) -> [UInt8]? {
        // zlib keeps the address of its stream.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        guard let count = UInt32(exactly: input.count), CZLIB_deflateInitGzip(stream) == Z_OK else { return nil }
        defer { deflateEnd(stream) }
        guard let room = UInt32(exactly: deflateBound(stream, UInt(count))) else { return nil }
        var status = Z_OK
        let output = [UInt8](unsafeUninitializedCapacity: Int(room)) { output, filled in
            input.withUnsafeBufferPointer { input in
                // zlib does not write to its input.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = count
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = room
                status = deflate(stream, Z_FINISH)
            }
            filled = Int(room - stream.pointee.avail_out)
        }
        return status == Z_STREAM_END ? output : nil
    }
}

extension PostOutcome {
    /// Whether the server could not read a compressed POST, and has therefore processed no member.
    var refusesCompression: Bool {
        if hasResults { return false }
        if answer?.status == .unsupportedMediaType { return true }
        if case .answered(let error)? = wholeFailure { return error.code == .parseError }
        return false
    }
}
