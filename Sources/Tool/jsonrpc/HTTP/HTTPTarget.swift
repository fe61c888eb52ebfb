// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import ToolSupport
import WebSocket

/// The URL of an HTTP peer, and the options that say how to reach it.
struct HTTPTarget {
    /// The URL without user name, password and fragment.
    var url: String
    /// The header fields of `-H`, with `Authorization` if there are credentials that can be sent unasked.
    var fields: HTTPFields
    /// The user name and password of `--user` or the URL, for challenges of the server; `nil` for none.
    var user: BasicCredentials?
    var proxy: HTTPProxy?

    /// Checks the URL and the options. Throws ``UsageError``. The messages contain neither passwords nor the values of
    /// header fields.
    init(_ text: String, _ options: ConnectionOptions) throws {
        let location = text.prefix { $0 != "#" }
        let isSecure = location.lowercased().hasPrefix("https:")
        do {
            // The two kinds of URL differ in their schemes only.
            let parsed = try WebSocketURL("ws" + location.dropFirst("http".count))
            url = "\(isSecure ? "https" : "http")://\(parsed.hostField)\(parsed.target)"
            let credentials = try options.socket.credentials()
            fields = try Self.checked(options.socket.headerFields(credentials))
            if case .user(let given)? = credentials {
                user = given
            } else if let credentials = parsed.credentials, fields[.authorization] == nil {
                fields[.authorization] = credentials.fieldValue
                user = credentials
            }
            if options.digest {
                guard user != nil else {
                    throw UsageError("--digest needs a user name and a password. Give them with --user.")
                }
                fields[.authorization] = nil
            }
            if case .network(let host, let port) = parsed.location {
                proxy = try options.proxyPolicy.proxy(forHost: host, port: port, isSecure: isSecure)
            }
        } catch let error as WebSocketError {
            throw UsageError(error.message)
        } catch let error as SocketError {
            throw UsageError(error.message)
        }
    }

    /// Checks header fields. Throws ``UsageError`` if a field cannot be sent. The message does not contain the value,
    /// which may be a secret.
    private static func checked(_ given: [HeaderOption]) throws -> HTTPFields {
        var fields = HTTPFields()
        for field in given {
            guard let name = HTTPField.Name(field.name) else {
                throw UsageError(
                    "Could not use a header field: its name contains a character that is not allowed in names "
                        + "(RFC 9110 §5.1).")
            }
            guard !reserved.contains(name.canonicalName) else {
                throw UsageError(
                    "Could not use the header field \(name): the tool sets this field itself. Remove it from the "
                        + "header fields.")
            }
            guard HTTPField.isValidValue(field.value) else {
                throw UsageError("Could not use the header field \(name): its value contains a control character.")
            }
            fields.append(HTTPField(name: name, value: field.value))
        }
        return fields
    }

    /// Fields that choose the server, and fields that would change the framing of the request.
    private static let reserved: Set<String> = [
        "host", "connection", "upgrade", "content-length", "transfer-encoding", "te", "trailer", "expect",
        "proxy-authorization", "proxy-connection",
    ]
}

extension SocketOptions {
    var proxyPolicy: ProxyPolicy {
        switch proxy {
        case nil: .environment
        case "none": .none
        case let url?: .http(url)
        }
    }
}
