// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import OpenRPC
import ToolSupport

extension OpenRPCDocument {
    /// Reads the result of `rpc.discover`.
    static func read(_ result: RawJSON) throws(ClientError) -> OpenRPCDocument {
        do {
            return try OpenRPCDocument(parsing: Array(result.bytes))
        } catch {
            throw ClientError(
                .protocolViolation, "The result of `rpc.discover` is not a valid OpenRPC document.", cause: error,
                method: MethodNames.documentMethod, delivery: .answered)
        }
    }

    /// The method on several lines: its signature and what the document says about it, and calls to paste.
    ///
    /// - Parameter peer: The words between `jsonrpc call` and the method.
    func text(of method: Method, peer: [String]) -> String {
        var lines = [method.signature.inOneLine]
        for text in [method.summary, method.description].compactMap(\.self) { lines.append("  " + text.inOneLine) }
        var rows = method.params.map { ($0.name.inOneLine, $0.text) }
        if let result = method.result { rows.append(("returns", result.text)) }
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        if !rows.isEmpty { lines.append("") }
        // A long name does not move the other rows.
        lines += rows.map { "  " + $0.0.padded(to: min(width, 26)) + $0.1 }
        if !method.errors.isEmpty { lines.append("") }
        lines += method.errors.map { "  error \($0.code)  \($0.message.inOneLine)" }
        lines.append("")
        let needed = words(for: method, all: false)
        lines.append("  " + Self.call(peer, needed))
        let all = words(for: method, all: true)
        if all != needed { lines.append("  " + Self.call(peer, all)) }
        return lines.joined(separator: "\n")
    }

    // MARK: Templates

    private static func call(_ peer: [String], _ words: [String]) -> String {
        (["jsonrpc", "call"] + (peer + words).map(ShellWord.quoted)).joined(separator: " ")
    }

    /// Returns the words of a call: the name of the method, and a value for each param that must be given, or for all.
    private func words(for method: Method, all: Bool) -> [String] {
        let isByPosition = method.paramStructure == .byPosition
        var params = method.params
        if !all {
            // By position, no param before the last that is needed can be left out.
            params =
                isByPosition
                ? Array(params.prefix((params.lastIndex { $0.isRequired } ?? -1) + 1)) : params.filter(\.isRequired)
        }
        let name = TerminalText.line(method.name)
        // The document is the peer's, so a name must not become an option.
        let words = name.hasPrefix("-") ? ["--", name] : [name]
        let values = params.map { ($0.name, Self.json(sample(of: $0.schema))) }
        if isByPosition { return words + values.map { Self.word($0.1) } }
        if values.allSatisfy({ ParamWords.isName($0.0[...]) }) {
            return words + values.map { "\($0.0)=\(Self.word($0.1))" }
        }
        let object = RawJSON(members: values.map { ($0.0, RawJSON(literal: $0.1)) })
        let json = String(decoding: TerminalText.json(Array(object.bytes)), as: UTF8.self)
        return ["--params", json] + words
    }

    private static func json(_ value: JSONValue) -> String {
        String(decoding: TerminalText.json(Array(value.bytes)), as: UTF8.self)
    }

    /// Returns a value as a word of a command line. A string that is a plain word needs no quotes.
    private static func word(_ json: String) -> String {
        guard json.hasPrefix("\"") else { return json }
        let text = json.dropFirst().dropLast()
        return ParamWords.isName(text) && !["true", "false", "null"].contains(text) ? String(text) : json
    }
}

extension OpenRPCDocument.Method {
    /// The method on one line: `subtract(minuend: number, subtrahend: number) -> number  The minuend less …`.
    var line: String { "\(signature)\((summary ?? description).map { "  \($0)" } ?? "")".inOneLine }

    fileprivate var signature: String {
        let params = params.map { "\($0.name)\($0.isRequired ? "" : "?"): \($0.schema.shortName)" }
        let arrow = result.map { " -> \($0.schema.shortName)" } ?? ""
        return "\(name)(\(params.joined(separator: ", ")))\(arrow)\(isDeprecated ? "  (deprecated)" : "")"
    }
}

extension OpenRPCDocument.ContentDescriptor {
    /// The type, and what the document says about it.
    fileprivate var text: String {
        let about = summary ?? description ?? schema.description
        return (schema.shortName + (about.map { "  \($0)" } ?? "")).inOneLine
    }
}

extension JSONSchema {
    fileprivate var shortName: String {
        switch form {
        case .any: title ?? "any"
        case .null: "null"
        case .boolean: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .string: "string"
        case .enumeration(let values): title ?? values.map(\.description).joined(separator: "|")
        case .reference(let reference): reference.split(separator: "/").last.map(String.init) ?? reference
        case .array(let items): "[\(items?.shortName ?? "any")]"
        case .object: title ?? "object"
        case .alternatives(let parts): title ?? parts.map(\.shortName).joined(separator: "|")
        case .all(let parts): title ?? parts.map(\.shortName).joined(separator: "&")
        }
    }
}

extension String {
    /// The text on one line, with characters escaped that would control a terminal.
    fileprivate var inOneLine: String {
        TerminalText.line(String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\n" || $0 == "\t" ? " " : $0 })))
    }
}
