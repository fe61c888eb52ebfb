// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import HTTPRequests
    import NIOSSL

    extension AsyncHTTPClientTransport {
        /// The options of TLS. Files are read when the first connection is made. A file that cannot be read fails
        /// requests with `HTTPTransportError.Code.secureConnectionFailed`.
        public struct TLS: Sendable, Hashable {
            /// The certificate authorities that are trusted.
            public enum Trust: Sendable, Hashable {
                /// The system's authorities.
                case system
                /// Only the certificates of a PEM file.
                case only(file: String)
                /// The system's authorities and the certificates of a PEM file.
                case systemAnd(file: String)
            }

            /// A version of TLS.
            public enum Version: Sendable, Hashable {
                /// TLS 1.2 (RFC 5246).
                case tls12
                /// TLS 1.3 (RFC 8446).
                case tls13
            }

            /// A client certificate with its private key, in PEM files.
            public struct Identity: Sendable, Hashable {
                /// The path of the certificate, followed by the intermediate certificates that lead to its root.
                public var certificateChainFile: String
                /// The path of the private key of the first certificate.
                public var privateKeyFile: String
                /// The passphrase of an encrypted private key. The default is `nil`.
                public var passphrase: String?

                /// Makes an identity of two files.
                public init(certificateChainFile: String, privateKeyFile: String, passphrase: String? = nil) {
                    self.certificateChainFile = certificateChainFile
                    self.privateKeyFile = privateKeyFile
                    self.passphrase = passphrase
                }
            }

            /// The certificate authorities that are trusted. The default is ``Trust/system``.
            public var trust = Trust.system
            /// The certificate and key for a server that requests a client certificate. The default is none.
            public var identity: Identity?
            /// The oldest version of TLS that is accepted. The default is ``Version/tls12``.
            public var minimumVersion = Version.tls12
            /// Whether every certificate is accepted, for every name. Anyone on the path can then read and change
            /// messages, so set it only in tests. The default is `false`.
            public var isInsecure = false

            public init() {}
        }
    }

    extension AsyncHTTPClientTransport.TLS {
        /// Reads the files. Throws an `HTTPTransportError` that names a file that cannot be used.
        func configuration() throws -> TLSConfiguration {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion = minimumVersion == .tls13 ? .tlsv13 : .tlsv12
            if isInsecure { configuration.certificateVerification = .none }
            switch trust {
            case .system: break
            case .only(let file): configuration.trustRoots = .certificates(try Self.certificates(in: file))
            case .systemAnd(let file):
                configuration.additionalTrustRoots = [.certificates(try Self.certificates(in: file))]
            }
            if let identity {
                configuration.certificateChain = try Self.certificates(in: identity.certificateChainFile)
                    .map { .certificate($0) }
                configuration.privateKey = .privateKey(try Self.key(of: identity))
            }
            return configuration
        }

        private static func certificates(in file: String) throws -> [NIOSSLCertificate] {
            do {
                return try NIOSSLCertificate.fromPEMFile(file)
            } catch {
                throw unreadable("certificates", file, error)
            }
        }

        private static func key(of identity: Identity) throws -> NIOSSLPrivateKey {
            let file = identity.privateKeyFile
            do {
                guard let passphrase = identity.passphrase else {
                    return try NIOSSLPrivateKey(file: file, format: .pem)
                }
                return try NIOSSLPrivateKey(file: file, format: .pem) { setter in setter(Array(passphrase.utf8)) }
            } catch {
                throw unreadable("private key", file, error)
            }
        }

        private static func unreadable(_ content: String, _ file: String, _ error: any Error) -> HTTPTransportError {
            HTTPTransportError(
                .secureConnectionFailed, "Could not read the \(content) in the file '\(file)': \(error).",
                isRequestUnsent: true, underlying: error)
        }
    }
#endif
