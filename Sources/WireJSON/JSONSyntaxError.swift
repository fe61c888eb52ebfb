// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Why bytes are not one JSON text (RFC 8259), and where.
public struct JSONSyntaxError: Error, Hashable, Sendable {
    /// What is wrong.
    public let reason: Reason
    /// Where, in bytes from the start of the text.
    public let offset: Int
    /// The line, from 1. Lines end with a line feed.
    public let line: Int
    /// The column, from 1, counted in bytes.
    public let column: Int

    /// Makes an error; line and column are counted from the text.
    package init(_ reason: Reason, at offset: Int, in text: UnsafeRawBufferPointer) {
        self.reason = reason
        self.offset = offset
        var line = 1
        var lineStart = 0
        for index in 0..<min(max(offset, 0), text.count) where text[index] == 0x0A {
            line += 1
            lineStart = index + 1
        }
        self.line = line
        self.column = offset - lineStart + 1
    }

    package init(_ fault: ScanFault, in text: UnsafeRawBufferPointer) {
        self.init(Reason(fault.reason), at: fault.offset, in: text)
    }
}

extension JSONSyntaxError {
    /// A kind of fault. More kinds may come, so a `switch` over them needs a default.
    public struct Reason: Hashable, Sendable {
        @usableFromInline package enum Code: UInt8, Sendable {
            case emptyText, unexpectedEnd, expectedValue, expectedMemberName, expectedColon, expectedCommaOrEnd
            case invalidLiteral, invalidNumber, invalidEscape, controlCharacter, invalidUTF8, unpairedSurrogate
            case nestingTooDeep, trailingContent, byteOrderMark, duplicateMember, textTooLarge
            case expectedArray
        }

        let code: Code

        init(_ code: Code) {
            self.code = code
        }

        /// The text is empty, or nothing but white space.
        public static let emptyText = Reason(.emptyText)
        /// The text ends before its value does.
        public static let unexpectedEnd = Reason(.unexpectedEnd)
        /// No value begins here.
        public static let expectedValue = Reason(.expectedValue)
        /// An object's member must begin with a name in double quotes.
        public static let expectedMemberName = Reason(.expectedMemberName)
        /// A colon must follow a member's name.
        public static let expectedColon = Reason(.expectedColon)
        /// A comma or the closing bracket must follow a value in an array or object.
        public static let expectedCommaOrEnd = Reason(.expectedCommaOrEnd)
        /// A word which is none of `true`, `false`, `null`.
        public static let invalidLiteral = Reason(.invalidLiteral)
        /// A number against RFC 8259 §6: a leading zero or plus, or a fraction or exponent without digits.
        public static let invalidNumber = Reason(.invalidNumber)
        /// A backslash not followed by one of the escapes of RFC 8259 §7.
        public static let invalidEscape = Reason(.invalidEscape)
        /// A character below U+0020 in a string, which must be escaped.
        public static let controlCharacter = Reason(.controlCharacter)
        /// The bytes are not UTF-8 (RFC 3629).
        public static let invalidUTF8 = Reason(.invalidUTF8)
        /// The escape of one half of a surrogate pair without the other. Such a string is JSON, but no `String` can
        /// hold it; the error comes when the string is read, not when it is scanned.
        public static let unpairedSurrogate = Reason(.unpairedSurrogate)
        /// Arrays and objects lie deeper in each other than ``JSONLimits/maximumDepth``.
        public static let nestingTooDeep = Reason(.nestingTooDeep)
        /// Something other than white space follows the value.
        public static let trailingContent = Reason(.trailingContent)
        /// The text begins with a byte order mark (RFC 8259 §8.1).
        public static let byteOrderMark = Reason(.byteOrderMark)
        /// An object has two members of the same name, and the reader was told to refuse that.
        public static let duplicateMember = Reason(.duplicateMember)
        /// The text should be an array, and something else begins here.
        public static let expectedArray = Reason(.expectedArray)
        /// The text takes four gigabytes or more.
        public static let textTooLarge = Reason(.textTooLarge)
    }
}

extension JSONSyntaxError.Reason: CustomStringConvertible {
    /// What is wrong, as a clause.
    public var description: String {
        switch code {
        case .emptyText: "the text is empty"
        case .unexpectedEnd: "the text ends too early"
        case .expectedValue: "a value is expected"
        case .expectedArray: "an array is expected"
        case .expectedMemberName: "a member name in double quotes is expected"
        case .expectedColon: "a colon is expected"
        case .expectedCommaOrEnd: "a comma or a closing bracket is expected"
        case .invalidLiteral: "a word is none of true, false, null"
        case .invalidNumber: "a number is malformed"
        case .invalidEscape: "an escape in a string is malformed"
        case .controlCharacter: "a control character in a string is not escaped"
        case .invalidUTF8: "the bytes are not valid UTF-8"
        case .unpairedSurrogate: "a string escapes half of a surrogate pair"
        case .nestingTooDeep: "arrays and objects are nested too deep"
        case .trailingContent: "something follows the value"
        case .byteOrderMark: "the text begins with a byte order mark"
        case .duplicateMember: "an object has two members of the same name"
        case .textTooLarge: "the text takes four gigabytes or more"
        }
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// One sentence.
    public var description: String {
        "Not JSON: \(reason) at byte \(offset) (line \(line), column \(column))."
    }
}

/// A fault as the scanner throws it: small enough for registers, without the line count that only a report needs.
@usableFromInline package struct ScanFault: Error {
    @usableFromInline package var reason: JSONSyntaxError.Reason.Code
    @usableFromInline package var offset: Int

    @inlinable @inline(__always)
    package init(_ reason: JSONSyntaxError.Reason.Code, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
