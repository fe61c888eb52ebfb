// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A number or a text, by trial. Each text causes an error with its path and place.
enum Loose: Codable, Equatable {
    case number(Int)
    case text(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .number(let number): try number.encode(to: encoder)
        case .text(let text): try text.encode(to: encoder)
        }
    }
}
