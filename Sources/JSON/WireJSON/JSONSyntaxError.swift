// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The reason why bytes are not one JSON text (RFC 8259), and the position of the fault.
public struct JSONSyntaxError: Error, Hashable, Sendable {
    /// The kind of fault.
    public let reason: Reason
    /// The offset of the fault, in bytes from the start of the text.
    public let offset: Int
    /// The line of the fault, counted from 1. Lines end with a line feed.
    public let line: Int
    /// The column of the fault, counted in bytes from 1.
    public let column: Int

    /// Creates an error, and counts the line and the column in the text.
    package init(_ reason: Reason, at offset: Int, in text: UnsafeRawBufferPointer) {
        self.reason = reason
        self.offset = offset
        var counter = LineCounter()
        unsafe counter.move(to: offset, in: text)
        line = counter.line
        column = offset - counter.lineStart + 1
    }

    package init(_ fault: ScanFault, in text: UnsafeRawBufferPointer) {
        unsafe self.init(Reason(fault.reason), at: fault.offset, in: text)
    }
}

extension JSONSyntaxError {
    /// A kind of fault. Later versions may add kinds, so a `switch` over them needs a default.
    public struct Reason: Hashable, Sendable {
        /// The kinds. The raw value describes the fault as a clause.
        @usableFromInline package enum Code: String, Sendable {
            case emptyText = "the text is empty"
            case unexpectedEnd = "the text ends before its value is complete"
            case expectedValue = "expected a value"
            case expectedMemberName = "expected a member name in double quotes"
            case expectedColon = "expected a colon after a member name"
            case expectedCommaOrEnd = "expected a comma or a closing bracket"
            case invalidLiteral = "expected true, false or null"
            case invalidNumber = "a number is malformed"
            case invalidEscape = "a string has an invalid escape"
            case controlCharacter = "a string has a control character that is not escaped"
            case invalidUTF8 = "the bytes are not valid UTF-8"
            case unpairedSurrogate = "a string escapes half of a surrogate pair"
            case nestingTooDeep = "arrays and objects are nested deeper than JSONLimits.maximumDepth"
            case trailingContent = "more text follows the value"
            case byteOrderMark = "the text begins with a byte order mark"
            case duplicateMember = "an object has two members with the same name"
            case textTooLarge = "the text has 4 GiB or more"
            case expectedArray = "expected an array"
        }

        let code: Code

        init(_ code: Code) { self.code = code }

        /// The text is empty or has only white space.
        public static let emptyText = Reason(.emptyText)
        /// The text ends before its value is complete.
        public static let unexpectedEnd = Reason(.unexpectedEnd)
        /// A value must begin here.
        public static let expectedValue = Reason(.expectedValue)
        /// An object's member must begin with a name in double quotes.
        public static let expectedMemberName = Reason(.expectedMemberName)
        /// A colon must follow a member's name.
        public static let expectedColon = Reason(.expectedColon)
        /// A comma or the closing bracket must follow a value in an array or object.
        public static let expectedCommaOrEnd = Reason(.expectedCommaOrEnd)
        /// The word is not `true`, `false` or `null`.
        public static let invalidLiteral = Reason(.invalidLiteral)
        /// The number violates RFC 8259 §6: it has a leading zero or plus, or a fraction or exponent without digits.
        public static let invalidNumber = Reason(.invalidNumber)
        /// The backslash does not begin an escape of RFC 8259 §7.
        public static let invalidEscape = Reason(.invalidEscape)
        /// The string has a character below U+0020 that is not escaped.
        public static let controlCharacter = Reason(.controlCharacter)
        /// The bytes are not UTF-8 (RFC 3629).
        public static let invalidUTF8 = Reason(.invalidUTF8)
        /// The string escapes one half of a surrogate pair without the other. Such a string is JSON, but a `String`
        /// cannot represent it. The error is thrown when the string is read, not when the text is validated.
        public static let unpairedSurrogate = Reason(.unpairedSurrogate)
        /// Arrays and objects are nested deeper than ``JSONLimits/maximumDepth``.
        public static let nestingTooDeep = Reason(.nestingTooDeep)
        /// The value is followed by content other than white space.
        public static let trailingContent = Reason(.trailingContent)
        /// The text begins with a byte order mark (RFC 8259 §8.1).
        public static let byteOrderMark = Reason(.byteOrderMark)
        /// An object has two members with one name, and ``WireJSONDecoder/duplicateMemberStrategy`` is `.refuse`.
        public static let duplicateMember = Reason(.duplicateMember)
        /// The text must be an array, but another value begins here.
        public static let expectedArray = Reason(.expectedArray)
        /// The text has 4 GiB or more.
        public static let textTooLarge = Reason(.textTooLarge)
    }
}

extension JSONSyntaxError.Reason: CustomStringConvertible {
    /// The fault as a clause, for the end of a sentence.
    public var description: String { code.rawValue }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// The fault and its position, as one sentence.
    public var description: String {
        "The text is not valid JSON: \(reason) at line \(line), column \(column) (byte \(offset))."
    }
}

/// A fault as the scanner throws it. It fits in registers: the line is only counted for a report.
@usableFromInline package struct ScanFault: Error {
    @usableFromInline package var reason: JSONSyntaxError.Reason.Code
    @usableFromInline package var offset: Int

    @inlinable @inline(__always)
    package init(_ reason: JSONSyntaxError.Reason.Code, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
