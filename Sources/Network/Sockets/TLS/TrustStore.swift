// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import Synchronization

/// The trusted certificates. Unchecked: an `X509_STORE` has its own lock, and is not changed after `init`.
@safe final class TrustStore: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Makes a store of the given certificates, with or without those of the system.
    private init(_ content: Content, named name: String) throws(SocketError) {
        OpenSSLLibrary.prepare()
        let certificates = try content.pem.map { (pem) throws(SocketError) in
            try TLSConfiguration.PEMSource.certificates(in: pem, named: name)
        }
        guard let pointer = unsafe X509_STORE_new() else {
            throw SocketError(.invalidConfiguration, "Could not make a trust store: there is no memory.")
        }
        unsafe self.pointer = pointer
        // An explicitly given certificate of a server or an intermediate authority is trusted.
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

    /// The state of the system's certificate files, which changes when the files change.
    private struct SystemStamp: Hashable {
        private var paths: [String]
        /// The size, the modification time and the inode of each file that exists.
        private var files: [[Int64]]

        static func current() -> SystemStamp {
            let file = unsafe path(X509_get_default_cert_file_env(), X509_get_default_cert_file())
            let folder = unsafe path(X509_get_default_cert_dir_env(), X509_get_default_cert_dir())
            let files = [file, folder].compactMap { path -> [Int64]? in
                var status = stat()
                guard unsafe stat(path, &status) == 0 else { return nil }
                let time = status.st_mtim
                return [
                    Int64(status.st_size), Int64(time.tv_sec), Int64(time.tv_nsec),
                    Int64(truncatingIfNeeded: status.st_ino),
                ]
            }
            return SystemStamp(paths: [file, folder], files: files)
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

    /// Returns the store for a configuration. Files are always read, but a store is only made if their content is new.
    static func store(for trust: TLSConfiguration.Trust) throws(SocketError) -> TrustStore {
        let source: TLSConfiguration.PEMSource?
        switch trust {
        case .system: source = nil
        case .only(let given), .systemAnd(let given): source = given
        }
        var content = Content(pem: try source?.read())
        if case .only = trust {} else { content.system = .current() }
        if let store = recent.withLock({ $0.first { $0.content == content }?.store }) { return store }
        let store = try TrustStore(content, named: source?.name ?? "")
        return recent.withLock { recent in
            // Another task may have made the same store in the meantime.
            if let first = recent.first(where: { $0.content == content })?.store { return first }
            recent.append((content, store))
            if recent.count > 8 { recent.removeFirst() }
            return store
        }
    }
}
