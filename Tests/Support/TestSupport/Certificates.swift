// swift-jsonrpc · SPDX-License-Identifier: MIT

public import Foundation
import Synchronization

/// Certificates for tests, made by the `openssl` program in a temporary folder, once per process.
///
/// All are issued by one authority ("ca") unless stated otherwise. Keys are EC keys without a passphrase.
public struct Certificates: Sendable {
    /// One certificate and its key, as file paths.
    public struct Pair: Sendable {
        public var certificate: String
        public var key: String
    }

    public let folder: URL

    /// The authority that issued the rest.
    public var authority: String { path("ca.pem") }
    /// An authority that issued only the kind `fromOtherAuthority`.
    public var otherAuthority: String { path("other-ca.pem") }
    /// A certificate and its special property.
    public enum Kind: String, Sendable, CaseIterable {
        /// For localhost, 127.0.0.1 and ::1.
        case server
        /// For other.example and 192.0.2.1 alone.
        case wrongHost = "wronghost"
        /// As `server`, valid until yesterday.
        case expired
        /// As `server`, valid from next year on.
        case notYetValid = "future"
        /// As `server`, from ``Certificates/otherAuthority``.
        case fromOtherAuthority = "stranger"
        /// As `server`, signed by itself.
        case selfSigned = "selfsigned"
        /// As `server`, issued by an intermediate authority, whose certificate follows in the same file.
        case chained
        /// For a client, issued by the intermediate authority, whose certificate follows in the same file.
        case client
    }

    public subscript(kind: Kind) -> Pair {
        Pair(certificate: path(kind.rawValue + ".pem"), key: path(kind.rawValue + ".key"))
    }

    /// The key of the kind `client`, encrypted with the passphrase `secret`.
    public var encryptedClientKey: String { path("client-encrypted.key") }

    private func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    /// The certificates of this process.
    public static func shared() async throws -> Certificates { try await made.value }

    private static let made = Task { try await make() }

    private static func make() async throws -> Certificates {
        let folder = FileManager.default.temporaryDirectory.appending(path: "certificates-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let certificates = Certificates(folder: folder)
        TemporaryFolders.add(folder)
        let shell = try PeerProcess("/bin/sh", ["-euc", "cd \"$0\"\n" + script, folder.path(percentEncoded: false)])
        guard try await shell.exitStatus() == 0 else { throw CertificateFailure(text: shell.log) }
        return certificates
    }

    private struct CertificateFailure: Error, CustomStringConvertible {
        var text: String
        var description: String { "openssl could not make the tests' certificates: \(text)" }
    }

    private static let script = """
        local_names=DNS:localhost,IP:127.0.0.1,IP:::1
        key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"; }
        authority() {
            key "$1"
            openssl req -x509 -new -key "$1.key" -out "$1.pem" -days 30 -subj "/CN=$1" \\
                -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
        }
        # issue NAME ISSUER NAMES FROM UNTIL
        issue() {
            key "$1"
            openssl req -new -key "$1.key" -out "$1.csr" -subj "/CN=$1"
            printf 'subjectAltName=%s\\nextendedKeyUsage=serverAuth,clientAuth\\n%s\\n' "$3" "${6:-}" > "$1.ext"
            : > "$1.index"
            {
                echo '[ca]'; echo 'default_ca=it'; echo '[it]'; echo "database=$1.index"; echo 'new_certs_dir=.'
                echo 'rand_serial=yes'; echo 'default_md=sha256'; echo 'policy=any'; echo 'unique_subject=no'
                echo '[any]'; echo 'commonName=supplied'
            } > "$1.cnf"
            openssl ca -batch -notext -config "$1.cnf" -cert "$2.pem" -keyfile "$2.key" -in "$1.csr" -out "$1.pem" \\
                -extfile "$1.ext" -startdate "$4" -enddate "$5"
        }
        past=20200101000000Z
        yesterday=$(date -u -d yesterday +%Y%m%d%H%M%SZ)
        next_year=$(date -u -d '1 year' +%Y%m%d%H%M%SZ)
        far=$(date -u -d '2 years' +%Y%m%d%H%M%SZ)
        authority ca
        authority other-ca
        issue server ca "$local_names" $past $far
        issue wronghost ca DNS:other.example,IP:192.0.2.1 $past $far
        issue expired ca "$local_names" $past $yesterday
        issue future ca "$local_names" $next_year $far
        issue stranger other-ca "$local_names" $past $far
        issue intermediate ca DNS:intermediate $past $far basicConstraints=critical,CA:TRUE
        issue chained intermediate "$local_names" $past $far
        issue client intermediate DNS:client $past $far
        cat intermediate.pem >> chained.pem
        cat intermediate.pem >> client.pem
        openssl pkey -in client.key -aes256 -passout pass:secret -out client-encrypted.key
        key selfsigned
        openssl req -x509 -new -key selfsigned.key -out selfsigned.pem -days 30 -subj /CN=localhost \\
            -addext "subjectAltName=$local_names"
        """
}

/// Folders that are removed when the process exits normally.
private enum TemporaryFolders {
    private static let paths = Mutex<[String]>([])

    static func add(_ folder: URL) {
        let isFirst = paths.withLock { paths in
            paths.append(folder.path(percentEncoded: false))
            return paths.count == 1
        }
        if isFirst { atexit { TemporaryFolders.removeAll() } }
    }

    private static func removeAll() {
        for path in paths.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
    }
}
