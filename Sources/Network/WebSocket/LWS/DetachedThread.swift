// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// The threads of this module: detached, and with all signals blocked.
enum DetachedThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs the body on a new thread.
    ///
    /// The program's own threads receive its signals. OpenSSL writes without `MSG_NOSIGNAL`: with SIGPIPE blocked, a
    /// reset by the peer is an error and not a signal. The thread inherits the mask, so it has it from its start.
    ///
    /// - Returns: The `errno` if no thread could be started; otherwise 0.
    static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
        var everySignal = sigset_t()
        var signalsBefore = sigset_t()
        unsafe sigfillset(&everySignal)
        unsafe pthread_sigmask(SIG_SETMASK, &everySignal, &signalsBefore)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &signalsBefore, nil) }

        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        // The new thread takes over this retain. If no thread can be started, it is released below.
        let box = unsafe Unmanaged.passRetained(Body(body))
        let result = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                // Takes over the retain that the thread was started with, once: a thread runs its function once.
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        if result != 0 { unsafe box.release() }
        return result
    }
}
