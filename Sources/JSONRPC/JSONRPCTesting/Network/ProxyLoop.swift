// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import TaskWaits

/// The thread of a proxy.
final class ProxyLoop: Sendable {
    let core: Watched<ProxyCore>
    let port: UInt16
    private let ended = DispatchSemaphore(value: 0)
    /// Two connected sockets that wake the thread: the end that it reads, and the end that others write.
    private let alarm: (read: Int32, write: Int32)

    init(upstreamPort: Int) throws {
        let door = try ProxyDoor()
        port = door.port
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, ProxySocket.kind, 0, &ends) == 0 else {
            throw TCPFaultProxyError(call: "socketpair", errorNumber: errno)
        }
        alarm = (ends[0], ends[1])
        core = Watched(ProxyCore(ProxySettings(upstreamPort: upstreamPort), door: door))
        DispatchQueue(label: "jsonrpc.tcp-fault-proxy").async {
            self.run()
            self.ended.signal()
        }
    }

    deinit {
        close(alarm.read)
        close(alarm.write)
    }

    private func run() {
        while let (set, timeout) = core.withLock({ $0.pollSet(alarm: alarm.read) }) {
            var polled = set
            // It fails if there are more sockets than the process may have. They are tried again after a pause.
            if poll(&polled, nfds_t(polled.count), timeout) < 0 { poll(nil, 0, 10) }
            drainAlarm()
            core.update { $0.turn(polled) }
        }
    }

    private func drainAlarm() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(alarm.read, &bytes, bytes.count) > 0 {}
    }

    func wake() {
        var byte: UInt8 = 1
        _ = send(alarm.write, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    func change(_ body: (inout ProxySettings) -> Void) {
        core.withLock { core in if !core.hasEnded { body(&core.settings) } }
        wake()
    }

    /// Closes all sockets, and waits for the end of the thread.
    func stop() {
        core.update { $0.end() }
        wake()
        ended.wait()
        // For the next call.
        ended.signal()
    }
}
