// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Finds the socket of a listener, of which libwebsockets tells nothing, by what it is bound to, and puts others in its
/// place.
///
/// It stays what it is while this works: only libwebsockets closes it, on the thread that this is called on.
enum ListeningSocket {
    /// What a listening socket is bound to.
    enum Name {
        /// A numeric address and a port.
        case host(String, port: Int)
        /// A name that lies in no folder (unix(7), "abstract").
        case abstract(String)
    }

    /// Puts a listening socket in the place of libwebsockets' own.
    static func replace(_ descriptor: Int32, by socket: Int32) throws(WebSocketError) {
        #if os(Linux)
            let result = CLWS_dup3(socket, descriptor, O_CLOEXEC)
        #else
            let result = dup2(socket, descriptor)
        #endif
        guard result < 0 else { return }
        let code = errno
        throw WebSocketError(
            .listenFailed, "The listening socket could not be handed over: \(errorText(code)).", systemError: code)
    }

    /// Closes the socket, and has libwebsockets find in its place one end of a pipe whose other end is closed: poll(2)
    /// says that it has hung up, and libwebsockets lets go of it as of any dead socket. False when that failed.
    static func replaceByDeadEnd(_ descriptor: Int32) -> Bool {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return false }
        close(ends[1])
        defer { close(ends[0]) }
        do {
            try replace(descriptor, by: ends[0])
            return true
        } catch {
            return false
        }
    }

    /// The listening socket with this name. No two have the same one.
    static func descriptor(boundTo name: Name) -> Int32? {
        guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(folder) }
        while let entry = unsafe readdir(folder) {
            let number = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard let descriptor = Int32(number), isListening(descriptor) else { continue }
            if isBound(descriptor, to: name) { return descriptor }
        }
        return nil
    }

    private static func isListening(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value != 0
    }

    private static func isBound(_ descriptor: Int32, to name: Name) -> Bool {
        switch name {
        case .abstract(let name):
            var bound = sockaddr_un()
            guard localAddress(of: descriptor, family: AF_UNIX, into: &bound) else { return false }
            return unsafe withUnsafeBytes(of: bound.sun_path) { bytes in
                unsafe bytes.first == 0 && bytes.dropFirst().prefix { $0 != 0 }.elementsEqual(name.utf8)
            }
        case .host(let host, let port) where host.contains(":"):
            var (bound, wanted) = (sockaddr_in6(), in6_addr())
            guard localAddress(of: descriptor, family: AF_INET6, into: &bound),
                Int(UInt16(bigEndian: bound.sin6_port)) == port,
                unsafe inet_pton(AF_INET6, host, &wanted) == 1
            else { return false }
            return unsafe withUnsafeBytes(of: bound.sin6_addr) { bound in
                unsafe withUnsafeBytes(of: wanted) { unsafe bound.elementsEqual($0) }
            }
        case .host(let host, let port):
            var (bound, wanted) = (sockaddr_in(), in_addr())
            guard localAddress(of: descriptor, family: AF_INET, into: &bound),
                Int(UInt16(bigEndian: bound.sin_port)) == port,
                unsafe inet_pton(AF_INET, host, &wanted) == 1
            else { return false }
            return bound.sin_addr.s_addr == wanted.s_addr
        }
    }

    /// The address a socket of this family is bound to. False for one of another family.
    private static func localAddress<Address>(
        of descriptor: Int32, family: Int32, into address: inout Address
    ) -> Bool {
        var length = socklen_t(MemoryLayout<Address>.size)
        return unsafe withUnsafeMutableBytes(of: &address) { bytes in
            guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return unsafe getsockname(descriptor, start, &length) == 0
                && Int32(unsafe start.pointee.sa_family) == family
        }
    }
}
