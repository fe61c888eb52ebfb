// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import Synchronization

/// The certificates that are trusted.
///
/// Unchecked: an `X509_STORE` has a lock of its own, and nothing is added after `init`.
@safe final class TrustStore: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Makes a store of the given certificates, with or without the system's.
    private init(_ content: Content, named name: String) throws(WebSocketError) {
        let certificates = try content.pem.map { (pem) throws(WebSocketError) in
            try TLSConfiguration.PEMSource.certificates(in: pem, named: name)
        }
        guard let pointer = unsafe X509_STORE_new() else {
            throw WebSocketError(.invalidConfiguration, "Could not make a trust store: there is no memory.")
        }
        unsafe self.pointer = pointer
        // A server's own certificate, or that of an intermediate authority, is trusted if it is given explicitly.
        unsafe X509_STORE_set_flags(pointer, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        if content.system != nil { unsafe X509_STORE_set_default_paths(pointer) }
        for certificate in certificates ?? [] { unsafe X509_STORE_add_cert(pointer, certificate.pointer) }
        ERR_clear_error()
    }

    deinit { unsafe X509_STORE_free(pointer) }
}

extension TrustStore {
    /// The content of a store. Stores with the same content are interchangeable.
    private struct Content: Hashable {
        var system: SystemStamp?
        var pem: [UInt8]?
    }

    /// The state of the system's certificate files. It changes when the files change.
    private struct SystemStamp: Hashable {
        private var paths: [String]
        private var sizes: [Int64]
        private var times: [Int64]
        private var nodes: [UInt64]

        static func current() -> SystemStamp {
            let file = unsafe path(X509_get_default_cert_file_env(), X509_get_default_cert_file())
            let folder = unsafe path(X509_get_default_cert_dir_env(), X509_get_default_cert_dir())
            var stamp = SystemStamp(paths: [file, folder], sizes: [], times: [], nodes: [])
            for path in [file, folder] {
                var status = stat()
                guard unsafe stat(path, &status) == 0 else { continue }
                stamp.sizes.append(Int64(status.st_size))
                stamp.times += [Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec)]
                stamp.nodes.append(UInt64(status.st_ino))
            }
            return stamp
        }

        private static func path(_ variable: UnsafePointer<CChar>?, _ standard: UnsafePointer<CChar>?) -> String {
            if let variable = unsafe variable, let value = unsafe getenv(variable) {
                return unsafe String(cString: value)
            }
            return unsafe standard.map { unsafe String(cString: $0) } ?? ""
        }
    }

    /// The most recently made stores, newest last. They are kept because reading the system's certificates takes tens
    /// of milliseconds.
    private static let recent = Mutex<[(content: Content, store: TrustStore)]>([])

    /// Returns the store for a configuration. Files are always read. A store is made only if their content is new.
    static func store(for trust: TLSConfiguration.Trust) throws(WebSocketError) -> TrustStore {
        let content: Content
        let name: String
        switch trust {
        case .system: (content, name) = (Content(system: .current(), pem: nil), "")
        case .only(let source): (content, name) = (Content(system: nil, pem: try source.read()), source.name)
        case .systemAnd(let source):
            (content, name) = (Content(system: .current(), pem: try source.read()), source.name)
        }
        if let store = recent.withLock({ $0.first { $0.content == content }?.store }) { return store }
        let store = try TrustStore(content, named: name)
        return recent.withLock { recent in
            // Another task may have made the same store meanwhile.
            if let first = recent.first(where: { $0.content == content })?.store { return first }
            recent.append((content, store))
            if recent.count > 8 { recent.removeFirst() }
            return store
        }
    }
}
