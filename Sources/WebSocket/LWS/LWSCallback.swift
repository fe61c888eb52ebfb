// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// The one function lws calls. It finds out what happened and whom it concerns; what is returned goes back to lws:
/// non-zero closes the connection.
let lwsCallback:
    @convention(c) (
        OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
    ) -> Int32 = { wsi, reason, user, input, length in
        switch reason {
        case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
            // Comes once for each vhost and protocol, with a wsi that is none, while lws walks along the list of its
            // vhosts: the mailbox, whose commands change that list, is emptied when lws has returned.
            return 0
        case LWS_CALLBACK_PROTOCOL_INIT, LWS_CALLBACK_PROTOCOL_DESTROY, LWS_CALLBACK_GET_THREAD_ID:
            return 0
        case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
            // Comes while a listener's vhost is made, with its SSL_CTX and a wsi that is none.
            guard let user = unsafe user, let server = LWSContext.current?.serverInTheMaking else { return -1 }
            return unsafe server.prepare(OpaquePointer(user)) ? 0 : -1
        default:
            guard let wsi = unsafe wsi, let context = LWSContext.current else { return 0 }
            if reason == LWS_CALLBACK_WSI_CREATE {
                unsafe context.listener(of: lws_get_vhost(wsi))?.wsiMade(wsi)
            } else if reason == LWS_CALLBACK_WSI_DESTROY {
                unsafe context.listener(of: lws_get_vhost(wsi))?.wsiDestroyed(wsi)
            }
            return unsafe LWSEvent(reason: reason, wsi: wsi, input: input, length: length).dispatch(in: context)
        }
    }

/// One call by lws that concerns a connection.
@safe struct LWSEvent {
    let reason: lws_callback_reasons
    @unsafe let wsi: OpaquePointer
    @unsafe let input: UnsafeMutableRawPointer?
    let length: Int

    func dispatch(in context: LWSContext) -> Int32 {
        guard let session else { return dispatchWithoutSession(in: context) }
        switch reason {
        case LWS_CALLBACK_CLIENT_RECEIVE, LWS_CALLBACK_RECEIVE:
            return unsafe session.received(bytes, wsi: wsi)
        case LWS_CALLBACK_CLIENT_WRITEABLE, LWS_CALLBACK_SERVER_WRITEABLE:
            return session.writable()
        case LWS_CALLBACK_CLIENT_RECEIVE_PONG, LWS_CALLBACK_RECEIVE_PONG:
            unsafe session.pongReceived(bytes)
            return 0
        case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
            unsafe session.peerCloseReceived(bytes)
            return 0
        case LWS_CALLBACK_CLIENT_CLOSED, LWS_CALLBACK_CLOSED:
            session.socketClosed()
            return 0
        case LWS_CALLBACK_WSI_DESTROY:
            session.wsiDestroyed()
            return 0
        default:
            return session.isClient ? dispatchDial(to: session) : dispatchAccepted(to: session)
        }
    }

    /// The opening handshake of a client.
    private func dispatchDial(to session: LWSSession) -> Int32 {
        switch reason {
        case LWS_CALLBACK_WSI_CREATE:
            unsafe session.socketMade(wsi)
            return 0
        case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
            return unsafe session.writeRequest(at: input, room: length)
        case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
            return unsafe session.responseReceived(wsi: wsi)
        case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ:
            unsafe session.responseBodyReceived(bytes)
            return 0
        case LWS_CALLBACK_CLIENT_HTTP_REDIRECT:
            // Never followed: our header fields are meant for one host.
            return -1
        case LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH:
            return unsafe session.handshakeValid(wsi: wsi)
        case LWS_CALLBACK_CLIENT_ESTABLISHED:
            return session.established()
        case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
            let text = unsafe input == nil ? "" : String(decoding: bytes, as: UTF8.self)
            session.attemptFailed(text)
            return 0
        default:
            return 0
        }
    }

    private func dispatchAccepted(to session: LWSSession) -> Int32 {
        switch reason {
        case LWS_CALLBACK_ESTABLISHED: session.established()
        default: 0
        }
    }

    /// A wsi that belongs to no session yet: at a listener, before the upgrade.
    private func dispatchWithoutSession(in context: LWSContext) -> Int32 {
        switch reason {
        case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
            guard let listener = unsafe context.listener(of: lws_get_vhost(wsi)) else { return -1 }
            return unsafe listener.upgradeRequested(wsi: wsi)
        case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
            return unsafe context.listener(of: lws_get_vhost(wsi))?.isStopped == false ? 0 : 1
        case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
            guard let listener = unsafe context.listener(of: lws_get_vhost(wsi)) else { return -1 }
            unsafe lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, listener.handshakeSeconds)
            return 0
        case LWS_CALLBACK_HTTP:
            return unsafe lws_return_http_status(wsi, 426, nil) == 0 ? lws_http_transaction_completed(wsi) : -1
        case LWS_CALLBACK_ESTABLISHED, LWS_CALLBACK_CLIENT_ESTABLISHED:
            // Nobody wants it any more.
            return -1
        case LWS_CALLBACK_CLIENT_HTTP_REDIRECT, LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
            return -1
        default:
            return 0
        }
    }

    private var session: LWSSession? {
        // Set when the session got this wsi, and cleared before it lets go of it.
        guard let pointer = unsafe lws_get_opaque_user_data(wsi) else { return nil }
        return unsafe Unmanaged<LWSSession>.fromOpaque(pointer).takeUnretainedValue()
    }

    @unsafe private var bytes: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: input, count: input == nil ? 0 : length)
    }
}
