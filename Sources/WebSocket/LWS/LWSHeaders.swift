// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// Reads the header fields which lws has parsed, for as long as it keeps them.
enum LWSHeaders {
    /// The value of a field lws knows, or nil.
    @unsafe static func value(of token: lws_token_indexes, in wsi: OpaquePointer) -> String? {
        let length = unsafe lws_hdr_total_length(wsi, token)
        guard length > 0 else { return nil }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(length) + 1) { buffer in
            let copied = unsafe lws_hdr_copy(wsi, buffer.baseAddress, length + 1, token)
            guard copied > 0 else { return nil }
            return unsafe String(decoding: UnsafeRawBufferPointer(buffer).prefix(Int(copied)), as: UTF8.self)
        }
    }

    /// The value of a field by its name, whether lws knows it or not.
    @unsafe static func value(named name: String, in wsi: OpaquePointer) -> String? {
        let lower = name.lowercased()
        for token in tokens where token.name == lower {
            return unsafe value(of: token.index, in: wsi)
        }
        let key = lower + ":"
        let length = unsafe lws_hdr_custom_length(wsi, key, Int32(key.utf8.count))
        guard length > 0 else { return nil }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(length) + 1) { buffer in
            let copied = unsafe lws_hdr_custom_copy(
                wsi, buffer.baseAddress, length + 1, key, Int32(key.utf8.count))
            guard copied > 0 else { return nil }
            return unsafe String(decoding: UnsafeRawBufferPointer(buffer).prefix(Int(copied)), as: UTF8.self)
        }
    }

    /// All fields lws knows, names in lower case.
    @unsafe static func all(of wsi: OpaquePointer) -> [(name: String, value: String)] {
        tokens.compactMap { token in
            unsafe value(of: token.index, in: wsi).map { (token.name, $0) }
        }
    }

    /// The names lws knows that are header fields: those which end with a colon and do not begin with one.
    private static let tokens: [(index: lws_token_indexes, name: String)] =
        (0..<UInt32(WSI_TOKEN_COUNT.rawValue)).compactMap { raw in
            let index = lws_token_indexes(rawValue: raw)
            guard let pointer = unsafe lws_token_to_string(index) else { return nil }
            let text = unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            guard text.hasSuffix(":"), !text.hasPrefix(":"), text.count > 1 else { return nil }
            return (index, String(text.dropLast()))
        }
}
