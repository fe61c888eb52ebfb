// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import HTTPSyntax
import HTTPTypes
import JSONRPCHTTP
import ToolSupport

/// The configuration file: peers that have names, with their connection options.
///
///     {"peers": {"work": {"url": "wss://rpc.example/ws", "bearer": "@/home/me/token"}}}
struct PeerFile {
    struct Peer: Equatable {
        var name: String
        var url: String
        /// The options in the order of the file, each without its dashes. A flag has no value. Repeatable options occur
        /// several times.
        var options: [Option] = []
    }

    struct Option: Equatable {
        var name: String
        var value: String?
    }

    /// The environment variable for the path of the file.
    static let variable = "JSONRPC_CONFIG"
    /// The size of the largest file that is read.
    static let maximumBytes = 1 << 20

    private enum Kind {
        case text, path, flag
        /// A text, or `@FILE`.
        case secret
        /// A text, or an array of texts.
        case texts
    }

    /// The options of ``SocketOptions``.
    private static let kinds: [String: Kind] = [
        "bearer": .secret, "cacert": .path, "cert": .path, "compression": .flag, "connect-timeout": .text,
        "digest": .flag, "engine": .text, "header": .texts, "insecure": .flag, "key": .path,
        "max-message-size": .text, "no-coalescing": .flag, "ping-interval": .text, "ping-timeout": .text,
        "proxy": .text, "servername": .text, "subprotocol": .texts, "user": .secret,
    ]
    static var optionNames: [String] { kinds.keys.sorted() }

    /// Options that belong together: one of them on the command line replaces those of the file.
    fileprivate static let groups: [Set<String>] = [
        ["bearer", "user", "digest"], ["insecure", "cacert"], ["cert", "key"], ["ping-interval", "ping-timeout"],
    ]

    var path: String
    var peers: [Peer] = []

    /// The path of the file: `$XDG_CONFIG_HOME/jsonrpc/config.json`, or `~/.config/jsonrpc/config.json`; `nil` without
    /// a home.
    static var defaultPath: String? {
        // The XDG Base Directory Specification ignores relative paths.
        if let folder = Environment.value("XDG_CONFIG_HOME"), folder.hasPrefix("/") {
            return folder + "/jsonrpc/config.json"
        }
        return Environment.value("HOME").map { $0 + "/.config/jsonrpc/config.json" }
    }

    /// Reads the file of `$JSONRPC_CONFIG`, or else the file at the default path; `nil` if there is no such file.
    static func load() throws -> PeerFile? {
        if let path = Environment.value(variable) { return try PeerFile(at: path) }
        guard let path = defaultPath, access(path, F_OK) == 0 || ![ENOENT, ENOTDIR].contains(errno) else { return nil }
        return try PeerFile(at: path)
    }

    /// Reads a file. Throws ``UsageError`` with the place of the fault. The message contains no value.
    init(at path: String) throws {
        self.path = path
        do {
            let json = try RawJSON(validating: FileBytes.contents(of: path, atMost: Self.maximumBytes))
            for (name, value) in try Self.members(of: json, "the top level") {
                guard name == "peers" else { throw Self.unknown(name, ["peers"]) }
                for (name, value) in try Self.members(of: value, "peers") { peers.append(try peer(name, value)) }
            }
        } catch let error as UsageError {
            throw UsageError("Could not read the peers from \(path). \(error)")
        } catch let error as JSONSyntaxError {
            throw UsageError("Could not read the peers from \(path). \(error)")
        }
        if let place = peers.lazy.compactMap(\.placeOfSecret).first { try refuseOtherReaders(place) }
    }

    func peer(named name: String) -> Peer? { peers.first { $0.name == name } }

    // MARK: Contents

    private static func members(of json: RawJSON, _ place: String) throws -> [(name: String, value: RawJSON)] {
        guard let members = try json.namedMembers() else { throw UsageError("Expected an object at \(place).") }
        var seen: Set<String> = []
        for member in members where !seen.insert(member.name).inserted {
            throw UsageError("\(place) has the member '\(member.name)' twice.")
        }
        return members
    }

    private static func unknown(_ place: String, _ names: [String]) -> UsageError {
        let name = String(place.split(separator: ".").last ?? "")
        let similar = SimilarWord.find(name, among: names).map { "Did you mean '\($0)'?" }
        return UsageError("\(place) is unknown. \(similar ?? "Known are: \(names.joined(separator: ", ")).")")
    }

    private func peer(_ name: String, _ json: RawJSON) throws -> Peer {
        guard Self.isName(name) else {
            throw UsageError(
                "'\(name)' is not a name for a peer. A name has letters, digits, '.', '-' and '_', at most 64, and "
                    + "begins with a letter or digit.")
        }
        var peer = Peer(name: name, url: "")
        for (option, value) in try Self.members(of: json, "peers.\(name)") {
            let place = "peers.\(name).\(option)"
            if option == "url" {
                peer.url = try Self.text(value, place)
                guard TargetURL.isURL(peer.url) else { throw UsageError("\(place) is not a URL.") }
                continue
            }
            switch Self.kinds[option] {
            case .text?: peer.options.append(Option(name: option, value: try Self.text(value, place)))
            case .path?: peer.options.append(Option(name: option, value: absolute(try Self.text(value, place))))
            case .secret?: peer.options.append(Option(name: option, value: located(try Self.text(value, place))))
            case .texts?:
                for element in (try? value.elements()) ?? [value] {
                    let text = try Self.text(element, place)
                    // The value of one header field can be in a file, too.
                    let field = text.firstRange(of: "=@").map { String(text[..<$0.lowerBound]) + "=" } ?? ""
                    let isField = FieldText.isToken(field.dropLast())
                    let value = isField ? field + located(String(text.dropFirst(field.count))) : located(text)
                    peer.options.append(Option(name: option, value: value))
                }
            case .flag?:
                guard let isOn = try? value.decode(as: Bool.self) else {
                    throw UsageError("Expected true or false at \(place).")
                }
                if isOn { peer.options.append(Option(name: option)) }
            case nil: throw Self.unknown(place, ["url"] + Self.optionNames)
            }
        }
        guard !peer.url.isEmpty else { throw UsageError("peers.\(name) has no url.") }
        return peer
    }

    /// Returns whether a word can be the name of a peer. No URL and no option can.
    static func isName(_ word: String) -> Bool {
        guard let first = word.utf8.first, word.utf8.count <= 64 else { return false }
        return FieldText.isLetterOrDigit(first)
            && word.utf8.allSatisfy { FieldText.isLetterOrDigit($0) || "._-".utf8.contains($0) }
    }

    /// Returns a string, or a number as its text.
    private static func text(_ json: RawJSON, _ place: String) throws -> String {
        var given = try? json.decode(as: String.self)
        if let first = json.bytes.first, FieldText.isDigit(first) { given = json.text }
        guard let text = given else { throw UsageError("Expected a string at \(place).") }
        guard !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw UsageError("\(place) is empty, or has a control character.")
        }
        return text
    }

    // MARK: Files

    /// Returns an absolute path. A relative one is relative to the folder of the configuration file.
    private func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let slash = self.path.lastIndex(of: "/") else { return path }
        return self.path[...slash] + path
    }

    /// Returns a text in which the path of `@FILE` is absolute.
    private func located(_ text: String) -> String {
        guard case .file(let path) = SecretSource(text) else { return text }
        return "@" + absolute(path)
    }

    /// Throws ``UsageError`` if users other than the owner may read the file.
    private func refuseOtherReaders(_ place: String) throws {
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_mode & 0o044 != 0 else { return }
        throw UsageError(
            "\(path) holds a secret (\(place)), and other users can read the file. Make it yours alone: "
                + "chmod 600 \(ShellWord.quoted(path)). Or write @FILE or @env:NAME instead of the secret.")
    }
}

extension PeerFile.Peer {
    /// The place of a secret that stands in the file itself; `nil` if there is none.
    fileprivate var placeOfSecret: String? {
        func isSecret(_ option: PeerFile.Option) -> Bool {
            guard let value = option.value else { return false }
            switch option.name {
            case "bearer": return !value.hasPrefix("@")
            case "user": return !value.hasPrefix("@") && value.contains(":")
            case "proxy": return UsageText.shortProxy(value) != value
            case "header":
                guard case .field(let field) = HeaderSource(argument: value) else { return false }
                return HTTPField.Name(field.name).map { HTTPRedaction.standard.fieldNames.contains($0) } ?? true
            default: return false
            }
        }
        if UsageText.withoutSecrets(url) != url { return "peers.\(name).url" }
        return options.first(where: isSecret).map { "peers.\(name).\($0.name)" }
    }

    /// Returns the options as words of a command line, without those that a command line replaces.
    func words(besides commandLine: [String]) -> [String] {
        var given = Set(
            commandLine.filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2).prefix { $0 != "=" }) })
        let fields = Self.fieldNames(in: commandLine)
        if fields.contains("authorization") { given.insert("bearer") }
        for group in PeerFile.groups where !group.isDisjoint(with: given) { given.formUnion(group) }
        return options.compactMap { option -> String? in
            if option.name == "header" {
                let name = option.value.map { HeaderSource(argument: $0) }?.name ?? ""
                if fields.contains(name) || name == "authorization" && given.contains("bearer") { return nil }
            } else if given.contains(option.name) {
                return nil
            }
            return "--\(option.name)" + (option.value.map { "=\($0)" } ?? "")
        }
    }

    /// The names of header fields on a command line, in lower case.
    private static func fieldNames(in commandLine: [String]) -> Set<String> {
        var names: Set<String> = []
        for (option, value) in zip(commandLine, commandLine.dropFirst()) where option == "-H" || option == "--header" {
            if let name = HeaderSource(argument: value).name { names.insert(name) }
        }
        for word in commandLine where word.hasPrefix("--header=") {
            if let name = HeaderSource(argument: String(word.dropFirst("--header=".count))).name { names.insert(name) }
        }
        return names
    }
}

extension HeaderSource {
    /// The name of the header field in lower case; `nil` if only the file has it.
    var name: String? {
        switch self {
        case .field(let field): field.name.lowercased()
        case .secret(let name, _): name.lowercased()
        case .file, .invalid: nil
        }
    }
}
