// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import ToolSupport

/// The path of `--get`: any number of `.name`, `["any name"]` and `[index]`, with a dot before a bracket if one likes.
struct ResultPath: Equatable, Sendable {
    enum Step: Equatable, Sendable {
        case member(String)
        case element(Int)
    }

    var steps: [Step] = []

    /// Reads a path. Throws ``UsageError``.
    init(parsing text: String) throws {
        var rest = Array(text.utf8)[...]
        repeat {
            let start = rest.startIndex
            guard let step = Self.step(&rest) else {
                let place = String(decoding: text.utf8.prefix(start), as: UTF8.self).count + 1
                throw UsageError(
                    "Could not read --get from character \(place) on. It must be a path such as .version, "
                        + ".items[0].name or [\"any name\"].")
            }
            steps.append(step)
        } while !rest.isEmpty
    }

    private static func step(_ rest: inout ArraySlice<UInt8>) -> Step? {
        let hasDot = rest.first == UInt8(ascii: ".")
        if hasDot { rest.removeFirst() }
        guard rest.first == UInt8(ascii: "[") else {
            let name = rest.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
            rest = rest[name.endIndex...]
            return hasDot && !name.isEmpty ? .member(String(decoding: name, as: UTF8.self)) : nil
        }
        rest.removeFirst()
        let step: Step
        if rest.first == UInt8(ascii: "\"") {
            let json = rest[..<rest.endOfString]
            guard let name = try? RawJSON(validating: Array(json)).decode(as: String.self) else { return nil }
            step = .member(name)
            rest = rest[json.endIndex...]
        } else {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard let index = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
            step = .element(index)
            rest = rest[digits.endIndex...]
        }
        guard rest.popFirst() == UInt8(ascii: "]") else { return nil }
        return step
    }

    /// Returns the value at the path, with its original bytes. Throws ``AbsentValue``.
    func value(in result: RawJSON) throws -> RawJSON {
        var value = result
        for (index, step) in steps.enumerated() {
            let next: RawJSON?
            switch step {
            case .member(let name): next = value.member(name)
            case .element(let index):
                let elements = try? value.elements()
                next = elements.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            }
            guard let next else {
                let path = steps[...index].map(\.text).joined()
                let place = index == 0 ? "the result" : steps[..<index].map(\.text).joined()
                throw AbsentValue("The result has no \(path): \(place) is \(Self.kind(of: value)).")
            }
            value = next
        }
        return value
    }

    /// The number of members that a message names.
    private static let maximumNames = 8

    private static func kind(of value: RawJSON) -> String {
        switch value.bytes.first {
        case UInt8(ascii: "{"):
            let names = ((try? value.members()) ?? []).map { Step.member($0.name).text }
            guard !names.isEmpty else { return "an empty object" }
            let more = names.count > maximumNames ? " and \(names.count - maximumNames) more" : ""
            return "an object with \(names.prefix(maximumNames).joined(separator: ", "))\(more)"
        case UInt8(ascii: "["):
            let count = (try? value.elements())?.count ?? 0
            return count == 0 ? "an empty array" : "an array of \(count) element\(count == 1 ? "" : "s")"
        case UInt8(ascii: "\""): return "a string"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return "a boolean"
        case UInt8(ascii: "n"): return "null"
        default: return "a number"
        }
    }
}

extension ResultPath.Step {
    /// The step as the user can write it. A long name is cut.
    fileprivate var text: String {
        switch self {
        case .element(let index): return "[\(index)]"
        case .member(let name):
            let isPlain = !name.isEmpty && !name.contains { $0 == "." || $0 == "[" || $0.isWhitespace }
            let text = isPlain ? "." + name : "[\(RawJSON(string: name).text)]"
            return TerminalText.summary(text, maximumCharacters: 60)
        }
    }
}

/// What was asked for is not in the peer's answer. The exit status is 8.
struct AbsentValue: Error, Equatable, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
