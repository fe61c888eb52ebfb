// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// The reason why a document cannot be read, and the place of the fault.
public struct DocumentError: Error, Sendable, Hashable {
    /// A reason. Later versions may add cases, so a `switch` over them needs a default.
    public enum Reason: Sendable, Hashable {
        /// The bytes are not one JSON text.
        case notJSON(JSONSyntaxError)
        /// The value is of a kind that the specification does not allow there.
        case wrongKind(expected: Set<JSONKind>, found: JSONKind)
        /// The object lacks a member that it needs.
        case missingMember(String)
        /// The string escapes half of a surrogate pair, so no `String` can hold it.
        case unreadableString
        /// The document violates requirements of the specification, and ``DocumentOptions/refusesViolations`` is on.
        /// The pointer of the error is that of the first finding.
        case violations([LintFinding])
    }

    /// The reason.
    public let reason: Reason
    /// The place of the value that cannot be read, or of the object that lacks a member.
    public internal(set) var pointer: JSONPointer

    init(_ reason: Reason, at pointer: JSONPointer = JSONPointer()) {
        self.reason = reason
        self.pointer = pointer
    }
}

extension DocumentError: CustomStringConvertible {
    /// The fault and its place, as one sentence.
    public var description: String {
        let place = pointer.tokens.isEmpty ? "the JSON:API document" : "the JSON:API document at `\(pointer)`"
        let fault =
            switch reason {
            case .notJSON(let error): "\(error)"
            case .wrongKind(let expected, let found):
                "expected \(expected.map(\.rawValue).sorted().joined(separator: " or ")), found \(found.rawValue)."
            case .missingMember(let name): "the object has no member `\(name)`."
            case .unreadableString: "the string escapes half of a surrogate pair."
            case .violations(let findings):
                findings.first.map { "\($0.message) (\(findings.count) findings in all)." } ?? "no finding."
            }
        return "Could not read \(place): \(fault)"
    }
}
