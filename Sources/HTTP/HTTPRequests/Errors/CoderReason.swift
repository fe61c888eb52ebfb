// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The part of an error that a description shows.
enum CoderReason {
    /// The reason and the place, for the errors of coders and streams; `nil` for all other errors.
    static func text(of error: any Error) -> String? {
        switch error {
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            sentence(context.debugDescription, context.codingPath)
        case DecodingError.keyNotFound(let key, let context):
            sentence(
                context.debugDescription.contains("$")
                    ? context.debugDescription : "The object has no member \"\(key.stringValue)\"", context.codingPath)
        case EncodingError.invalidValue(_, let context): sentence(context.debugDescription, context.codingPath)
        case let error as HTTPByteStreamError:
            if case .tooLarge = error {
                "\(error) Raise `maximumResponseBytes`, or stream the body."
            } else {
                "\(error)"
            }
        default: nil
        }
    }

    /// Makes a sentence with the place of the fault. Texts of WireJSON's coders contain the place already.
    private static func sentence(_ text: String, _ path: [any CodingKey]) -> String {
        var text = text
        while text.last == "." { text.removeLast() }
        if !text.contains("$") {
            text += " at " + path.reduce("$") { $0 + ($1.intValue.map { "[\($0)]" } ?? ".\($1.stringValue)") }
        }
        return text + "."
    }
}
