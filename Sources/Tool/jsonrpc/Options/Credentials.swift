// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import ToolSupport
import WebSocket

/// The credentials of `--bearer` or `--user`.
enum Credentials: Equatable, Sendable {
    case bearer(String)
    case user(BasicCredentials)

    /// The value of the header field `Authorization`.
    var fieldValue: String {
        switch self {
        case .bearer(let token): "Bearer \(token)"
        case .user(let user): user.fieldValue
        }
    }
}

extension SocketOptions {
    /// Reads the credentials; `nil` if no option has them. It can ask for a password, so a command calls it once.
    func credentials() throws -> Credentials? {
        if let bearer {
            let token = try SecretSource(bearer).read(for: "--bearer")
            // RFC 6750 §2.1 has fewer characters, but tokens of some services have others.
            guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw UsageError("Could not use --bearer: the token has a blank, or a character that is not ASCII.")
            }
            return .bearer(token)
        }
        guard let user else { return nil }
        let text = try SecretSource(user).read(for: "--user")
        let colon = text.firstIndex(of: ":")
        let name = String(text[..<(colon ?? text.endIndex)])
        let password = try colon.map { String(text[text.index(after: $0)...]) } ?? PasswordPrompt.ask(for: name)
        guard !name.isEmpty, let credentials = BasicCredentials(user: name, password: password) else {
            throw UsageError(
                "Could not use --user: the user name is empty, or the user name or password has a control character.")
        }
        return .user(credentials)
    }

    /// The option that has credentials, or "the URL"; `nil` if none has. No file is read.
    func credentialSource(_ url: String) -> String? {
        if bearer != nil { return "--bearer" }
        if user != nil { return "--user" }
        if headerSources.contains(where: { $0.name == "authorization" }) { return "-H" }
        let authority = url.split(separator: "//", maxSplits: 1).last?.prefix { !"/?#".contains($0) }
        return authority?.contains("@") == true ? "the URL" : nil
    }

    /// Reads the header fields of `-H`, and adds `Authorization` for the credentials.
    func headerFields(_ credentials: Credentials?) throws -> [HeaderOption] {
        var fields = try headerSources.flatMap { try $0.fields() }
        guard let credentials else { return fields }
        guard !fields.contains(where: { $0.name.lowercased() == "authorization" }) else {
            throw UsageError(
                "Give the header field Authorization or \(bearer == nil ? "--user" : "--bearer"), not both.")
        }
        fields.append(HeaderOption(name: "Authorization", value: credentials.fieldValue))
        return fields
    }
}

/// Asks for a password on the terminal, and does not show what is typed.
enum PasswordPrompt {
    static func ask(for user: String) throws -> String {
        guard StandardInput.isTerminal else {
            throw UsageError(
                "--user has no password, and standard input is no terminal on which the tool could ask for it. Give "
                    + "NAME:PASSWORD in a file (--user @FILE) or in the environment (--user @env:NAME).")
        }
        // A signal restores the mode, too.
        TerminalMode.save()
        defer {
            TerminalMode.restore()
            OutputStream.diagnostics.writeNow([0x0A])
        }
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else {
            throw UsageError("Could not hide the password: \(SystemFailure.text(errno)).")
        }
        mode.c_lflag &= ~tcflag_t(ECHO)
        // Nothing that was typed before the question counts.
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode) == 0 else {
            throw UsageError("Could not hide the password: \(SystemFailure.text(errno)).")
        }
        OutputStream.diagnostics.writeNow(Array("Password of \(TerminalText.line(user)): ".utf8))
        guard let line = Interrupts.whileReading(readTerminal) else {
            throw UsageError("Could not read the password: standard input has ended.")
        }
        guard let password = String(validating: line, as: UTF8.self) else {
            throw UsageError("Could not read the password: it is not UTF-8.")
        }
        return password
    }

    /// Returns a line without its line feed; `nil` at the end of the input.
    private static func readTerminal() -> [UInt8]? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < SecretSource.maximumBytes {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return line.isEmpty ? nil : line }
            if byte == 0x0A { return line }
            line.append(byte)
        }
        return line
    }
}
