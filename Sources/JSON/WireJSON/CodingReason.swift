// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The part of a coder's error that error messages show.
package enum CodingReason {
    /// The reason and the path of a coding error, such as "Expected a number at $.a[3].", or `nil` for other errors.
    package static func text(of error: any Error) -> String? {
        switch error {
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            sentence(context.debugDescription, context.codingPath)
        case DecodingError.keyNotFound(let key, let context):
            // Foundation's text describes the key in its debug format.
            sentence(
                context.debugDescription.contains("$")
                    ? context.debugDescription : "The object has no member \"\(key.stringValue)\"", context.codingPath)
        case EncodingError.invalidValue(_, let context): sentence(context.debugDescription, context.codingPath)
        default: nil
        }
    }

    /// Makes a sentence with the path of the error. The texts of WireJSON's coders already contain the path.
    private static func sentence(_ text: String, _ path: [any CodingKey]) -> String {
        var text = text
        while text.last == "." { text.removeLast() }
        if !text.contains("$") {
            text += " at " + path.reduce("$") { $0 + ($1.intValue.map { "[\($0)]" } ?? ".\($1.stringValue)") }
        }
        return text + "."
    }
}

extension DecodingError {
    /// The path and the description of the error.
    package var context: Context {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: Context(codingPath: [], debugDescription: "")
        }
    }
}
