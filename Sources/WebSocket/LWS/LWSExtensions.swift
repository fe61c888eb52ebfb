// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The extensions a vhost can offer or accept, as lws takes them.
///
/// It is `@unchecked Sendable` because what it points to is never changed after `init`, and never freed: lws keeps the
/// address.
@safe struct LWSExtensions: @unchecked Sendable {
    @unsafe let pointer: UnsafePointer<lws_extension>

    /// permessage-deflate (RFC 7692), for what arrives. What we send is never compressed, so the peer need not keep a
    /// window for it.
    static let deflate = LWSExtensions(permessageDeflate: ())

    private init(permessageDeflate: Void) {
        let table = UnsafeMutablePointer<lws_extension>.allocate(capacity: 2)
        var entry = unsafe lws_extension()
        unsafe entry.name = UnsafePointer(strdup("permessage-deflate"))
        unsafe entry.callback = unsafe inflatingCallback
        unsafe entry.client_offer = UnsafePointer(
            strdup("permessage-deflate; client_no_context_takeover; client_max_window_bits"))
        unsafe table.initialize(to: entry)
        unsafe (table + 1).initialize(to: lws_extension())
        unsafe pointer = UnsafePointer(table)
    }
}

/// lws's permessage-deflate, with one answer put right.
///
/// Of a message that came uncompressed, which RFC 7692 §6 allows at any time, it says "nothing that we should do" (5 in
/// lws's private `enum pmd_return`), and then the client's parser never counts the message's bytes as used: it would
/// deliver the message again without end. "Nothing known" (0) is what it sees where there is no extension at all.
private let inflatingCallback:
    @convention(c) (
        OpaquePointer?, UnsafePointer<lws_extension>?, OpaquePointer?, lws_extension_callback_reasons,
        UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
    ) -> Int32 = { context, entry, wsi, reason, user, input, length in
        let answer = unsafe lws_extension_callback_pm_deflate(context, entry, wsi, reason, user, input, length)
        return reason == LWS_EXT_CB_PAYLOAD_RX && answer == 5 ? 0 : answer
    }
