// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import HTTPSyntax
import WebSocket

/// A connection of a listener.
@safe final class LWSServerSocket: LWSSocket {
    private let listening: LWSListening
    private var opening: EngineServerOpening?

    init(_ listening: LWSListening, _ loop: LWSLoop) {
        self.listening = listening
        super.init(loop, listening.host)
    }

    func begin(_ wsi: OpaquePointer) {
        unsafe lws_set_opaque_user_data(wsi, opaque)
        unsafe adopt(wsi)
        loop.add(self)
        listening.sockets += 1
        opening = listening.listener.open(self)
    }

    @unsafe override func handle(
        _ reason: lws_callback_reasons, _ wsi: OpaquePointer, _ input: UnsafeMutableRawPointer?, _ length: Int
    ) -> Int32 {
        switch reason {
        // An upgrade request, or any other request.
        case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE, LWS_CALLBACK_HTTP:
            return unsafe answer(wsi)
        case LWS_CALLBACK_ESTABLISHED:
            connection = opening?.opened(self, tlsVersion: tlsVersion)
            return connection == nil ? -1 : 0
        default:
            return unsafe super.handle(reason, wsi, input, length)
        }
    }

    /// Answers a request that is refused. lws answers the others. A result other than 0 makes lws close after writing.
    @unsafe private func answer(_ wsi: OpaquePointer) -> Int32 {
        guard let opening else { return -1 }
        let name = unsafe ssl.flatMap { unsafe SSL_get_servername($0, TLSEXT_NAMETYPE_host_name) }
        let serverName = unsafe name.map { unsafe String(cString: $0) }
        let startLine = unsafe Self.startLine(of: wsi)
        guard let refusal = unsafe opening.answer(to: startLine, LWSHead.fields(of: wsi), serverName: serverName) else {
            return 0
        }
        let room = Int(CLWS_PRE)
        var bytes = [UInt8](repeating: 0, count: room) + refusal
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, !refusal.isEmpty else { return }
            _ = unsafe CLWS_answer(wsi, start + room, refusal.count)
        }
        return -1
    }

    /// The request line. lws has decoded the target, so the target is encoded again.
    @unsafe private static func startLine(of wsi: OpaquePointer) -> String {
        var buffer = [CChar](repeating: 0, count: 16_384)
        let length = unsafe CLWS_copy_target(wsi, &buffer, Int32(buffer.count))
        let version = unsafe CLWS_is_http_1_0(wsi) ? "HTTP/1.0" : "HTTP/1.1"
        let target = String(decoding: buffer.prefix(max(Int(length), 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let method = length == 0 ? "OTHER" : "GET"
        return "\(method) \(length == 0 ? "/" : PercentEncoding.encoded(target, keeping: .target)) \(version)"
    }

    override func destroyed() {
        opening?.ended()
        opening = nil
        listening.sockets -= 1
        super.destroyed()
    }
}
