// swift-jsonrpc · SPDX-License-Identifier: MIT

import CZlib
import ToolSupport

/// The zlib format (RFC 1950), for HdrHistogram logs.
enum Zlib {
    /// The number of bytes that are decompressed at a time. At most this much is allocated beyond a limit.
    private static let stepBytes = 65536

    /// Returns the content. `limit` is the largest number of bytes of the content.
    static func content(of data: [UInt8], limit: Int) throws -> [UInt8] {
        // zlib keeps the address of its stream.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        guard let count = UInt32(exactly: data.count) else { throw UsageError("The zlib data is too long.") }
        guard inflateInit_(stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw UsageError("There is no memory to decompress the zlib data.")
        }
        defer { inflateEnd(stream) }
        return try data.withUnsafeBufferPointer { input in
            // zlib does not write to its input.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = count
            var content: [UInt8] = []
            var status = Z_OK
            while status == Z_OK {
                content += [UInt8](unsafeUninitializedCapacity: stepBytes) { output, filled in
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = UInt32(stepBytes)
                    status = inflate(stream, Z_NO_FLUSH)
                    filled = stepBytes - Int(stream.pointee.avail_out)
                }
                if content.count > limit { throw UsageError("The content is longer than \(limit) bytes.") }
            }
            switch status {
            case Z_STREAM_END: return content
            case Z_BUF_ERROR: throw UsageError("The zlib data ends early.")
            case _:
                let reason = stream.pointee.msg.map { ": \(String(cString: $0))" } ?? ""
                throw UsageError("The zlib data is malformed\(reason).")
            }
        }
    }

    static func compressed(_ content: [UInt8]) throws -> [UInt8] {
        var count = compressBound(UInt(content.count))
        var status = Z_OK
        let data = [UInt8](unsafeUninitializedCapacity: Int(count)) { output, filled in
            status = compress(output.baseAddress, &count, content, UInt(content.count))
            filled = status == Z_OK ? Int(count) : 0
        }
        guard status == Z_OK else { throw UsageError("There is no memory to compress the histogram.") }
        return data
    }
}
