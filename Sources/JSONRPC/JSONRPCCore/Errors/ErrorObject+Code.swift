// swift-jsonrpc · SPDX-License-Identifier: MIT

extension ErrorObject {
    /// The kind of an error in an ``ErrorObject`` (JSON-RPC 2.0 §5.1, `code`).
    ///
    /// Any integer is a code. The specification defines five codes and reserves a range; applications define the others.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The number.
        public var rawValue: Int

        /// Makes a code from any integer.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// -32700: the received text is not JSON.
        public static let parseError = ErrorObject.Code(rawValue: -32700)
        /// -32600: the received JSON is not a request.
        public static let invalidRequest = ErrorObject.Code(rawValue: -32600)
        /// -32601: there is no such method.
        public static let methodNotFound = ErrorObject.Code(rawValue: -32601)
        /// -32602: the method does not accept these params.
        public static let invalidParams = ErrorObject.Code(rawValue: -32602)
        /// -32603: the server failed for an internal reason.
        public static let internalError = ErrorObject.Code(rawValue: -32603)

        /// The range for server errors of a JSON-RPC implementation: -32099 to -32000.
        public static let serverErrors: ClosedRange<ErrorObject.Code> =
            ErrorObject.Code(rawValue: -32099)...ErrorObject.Code(rawValue: -32000)
        /// The range that the specification reserves, including the five defined codes and ``serverErrors``: -32768 to
        /// -32000. Applications use codes outside of it.
        public static let reserved: ClosedRange<ErrorObject.Code> =
            ErrorObject.Code(rawValue: -32768)...ErrorObject.Code(rawValue: -32000)

        /// Whether the code is in ``serverErrors``.
        public var isServerError: Bool { Self.serverErrors.contains(self) }

        /// Whether the code is in ``reserved``.
        public var isReserved: Bool { Self.reserved.contains(self) }

        /// The message that the specification gives for the code; `nil` for other codes.
        public var standardMessage: String? {
            switch self {
            case .parseError: "Parse error"
            case .invalidRequest: "Invalid Request"
            case .methodNotFound: "Method not found"
            case .invalidParams: "Invalid params"
            case .internalError: "Internal error"
            case _ where isServerError: "Server error"
            default: nil
            }
        }
    }
}

extension ErrorObject.Code: Comparable {
    public static func < (left: ErrorObject.Code, right: ErrorObject.Code) -> Bool { left.rawValue < right.rawValue }
}

extension ErrorObject.Code: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) { self.init(rawValue: value) }
}

extension ErrorObject.Code: CustomStringConvertible {
    /// The number.
    public var description: String { String(rawValue) }
}

extension ErrorObject.Code: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(Int.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
