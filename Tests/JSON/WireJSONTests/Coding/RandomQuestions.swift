// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation

/// A type with random requests to its decoder.
struct Asking: Decodable {
    init(from decoder: any Decoder) throws { try Questions.current.ask(decoder) }
}

/// The requests of types to a decoder, and its answers. With equal answers, the same seed makes the same requests.
final class Questions: @unchecked Sendable {  // One decoder at a time is asked.
    @TaskLocal static var current = Questions(seed: 0)

    private var random: SeededGenerator
    private var left = 40
    private(set) var answers: [String] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    struct Name: CodingKey, CustomStringConvertible {
        let stringValue: String
        let intValue: Int?
        init(_ name: String) { stringValue = name; intValue = nil }
        init(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { stringValue = "\(intValue)"; self.intValue = intValue }
        var description: String { stringValue }
    }

    @discardableResult
    func note<T>(_ question: String, isOrdered: Bool = true, _ body: () throws -> T) -> T? {
        do {
            let value = try body()
            answers.append("\(question) = \(text(value))")
            return value
        } catch {
            answers.append("\(question): \(isOrdered ? fault(error) : "unfit")")
            return nil
        }
    }

    /// In a type's initializer, Foundation has its own error for a number that does not fit, without a path.
    private func fault(_ error: any Error) -> String {
        switch error {
        case DecodingError.dataCorrupted: "unfit"
        case is DecodingError: "\(Verdict<Int> { throw error })"
        default: "unfit"
        }
    }

    private func text(_ value: Any) -> String {
        switch value {
        case let value as Double: String(format: "%.13g", value)
        case let value as Float: String(format: "%.6g", value)
        case let values as [Double]: values.map { text($0) }.joined(separator: " ")
        case let value as [String: Int]: "\(value.sorted { $0.key < $1.key })"
        case let value as [String: Asking]: "\(value.keys.sorted())"
        case is any KeyedDecodingContainerProtocol, is any UnkeyedDecodingContainer,
            is any SingleValueDecodingContainer, is any Decoder:
            "it"
        case is Asking, is [Asking], is Void: "it"
        case let value as String: value.debugDescription
        default: "\(value)"
        }
    }

    private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    func ask(_ decoder: any Decoder) throws {
        answers.append("at \(Verdict<Int>.path(decoder.codingPath))")
        for _ in 0...pick(3) where left > 0 {
            left -= 1
            switch pick(8) {
            case 0...3:
                if let container = note("keyed", { try decoder.container(keyedBy: Name.self) }) { try ask(container) }
            case 4, 5:
                if var container = note("unkeyed", { try decoder.unkeyedContainer() }) { try ask(&container) }
            case 6:
                if let container = note("single", { try decoder.singleValueContainer() }) { try ask(container) }
            default:
                // Like a type that does not catch errors.
                let container = try decoder.container(keyedBy: Name.self)
                try ask(container)
            }
        }
    }

    private func ask(_ container: KeyedDecodingContainer<Name>) throws {
        for _ in 0...pick(5) where left > 0 {
            left -= 1
            let key = Name("k\(pick(10) == 0 ? pick(130) : pick(7))")
            switch pick(40) {
            case 0: note("allKeys") { container.allKeys.map(\.stringValue).sorted() }
            case 1: note("contains \(key)") { container.contains(key) }
            case 2: note("nil \(key)") { try container.decodeNil(forKey: key) }
            case 3: note("Bool \(key)") { try container.decode(Bool.self, forKey: key) }
            case 4: note("String \(key)") { try container.decode(String.self, forKey: key) }
            case 5: note("Int \(key)") { try container.decode(Int.self, forKey: key) }
            case 6: note("Int8 \(key)") { try container.decode(Int8.self, forKey: key) }
            case 7: note("UInt16 \(key)") { try container.decode(UInt16.self, forKey: key) }
            case 8: note("UInt64 \(key)") { try container.decode(UInt64.self, forKey: key) }
            case 9: note("Double \(key)") { try container.decode(Double.self, forKey: key) }
            case 10: note("Float \(key)") { try container.decode(Float.self, forKey: key) }
            case 11: note("[Int] \(key)") { try container.decode([Int].self, forKey: key) }
            case 12: note("[String] \(key)") { try container.decode([String].self, forKey: key) }
            case 13: note("[Double] \(key)") { try container.decode([Double].self, forKey: key) }
            case 14:
                note("[String: Int] \(key)", isOrdered: false) { try container.decode([String: Int].self, forKey: key) }
            case 15: note("Int? \(key)") { try container.decode(Int?.self, forKey: key) as Any }
            case 16: note("[Int?] \(key)") { try container.decode([Int?].self, forKey: key) }
            case 17: note("Bool \(key)?") { try container.decodeIfPresent(Bool.self, forKey: key) as Any }
            case 18: note("Int \(key)?") { try container.decodeIfPresent(Int.self, forKey: key) as Any }
            case 19: note("String \(key)?") { try container.decodeIfPresent(String.self, forKey: key) as Any }
            case 20: note("[Int] \(key)?") { try container.decodeIfPresent([Int].self, forKey: key) as Any }
            case 21:
                note("Asking \(key)?") { try container.decodeIfPresent(Asking.self, forKey: key).map { _ in 1 } as Any }
            case 22, 23: note("[Asking] \(key)") { try container.decode([Asking].self, forKey: key) }
            case 24:
                note("[String: Asking] \(key)", isOrdered: false) {
                    _ = try container.decode([String: JustAsking].self, forKey: key)
                }
            case 25: note("Date \(key)") { try container.decode(Date.self, forKey: key).timeIntervalSince1970 }
            case 26: note("Data \(key)") { try container.decode(Data.self, forKey: key) }
            case 27: note("URL \(key)") { try container.decode(URL.self, forKey: key) }
            case 28: note("Int16? [] \(key)") { try container.decode([Int16]?.self, forKey: key) as Any }
            case 29, 30:
                if let nested = note(
                    "nested \(key)", { try container.nestedContainer(keyedBy: Name.self, forKey: key) })
                {
                    answers.append("at \(Verdict<Int>.path(nested.codingPath))")
                    try ask(nested)
                }
            case 31, 32:
                if var nested = note("elements \(key)", { try container.nestedUnkeyedContainer(forKey: key) }) {
                    answers.append("at \(Verdict<Int>.path(nested.codingPath))")
                    try ask(&nested)
                }
            case 33:
                if let decoder = note("super \(key)", { try container.superDecoder(forKey: key) }) { try ask(decoder) }
            case 34:
                if let decoder = note("super", { try container.superDecoder() }) { try ask(decoder) }
            case 35: note("[Int: Int] \(key)", isOrdered: false) { try container.decode([Int: Int].self, forKey: key) }
            case 36: note("Set \(key)") { try container.decode(Set<String>.self, forKey: key).sorted() }
            default: note("Asking \(key)") { try container.decode(Asking.self, forKey: key) }
            }
        }
    }

    private func ask(_ container: inout any UnkeyedDecodingContainer) throws {
        for _ in 0...pick(6) where left > 0 {
            left -= 1
            answers.append(
                "\(container.currentIndex) of \(container.count ?? -1) \(container.isAtEnd) \(Verdict<Int>.path(container.codingPath))"
            )
            switch pick(18) {
            case 0: note("next nil") { try container.decodeNil() }
            case 1: note("next Bool") { try container.decode(Bool.self) }
            case 2: note("next String") { try container.decode(String.self) }
            case 3: note("next Int") { try container.decode(Int.self) }
            case 4: note("next UInt8") { try container.decode(UInt8.self) }
            case 5: note("next Double") { try container.decode(Double.self) }
            // After the end, Foundation still increments the index.
            case 6 where container.isAtEnd, 7 where container.isAtEnd, 13 where container.isAtEnd: break
            case 6: note("next Int?") { try container.decodeIfPresent(Int.self) as Any }
            case 7: note("next String?") { try container.decodeIfPresent(String.self) as Any }
            case 8: note("next [Int]") { try container.decode([Int].self) }
            case 9: note("next Optional<Int>") { try container.decode(Int?.self) as Any }
            case 10:
                if let nested = note("next nested", { try container.nestedContainer(keyedBy: Name.self) }) {
                    try ask(nested)
                }
            case 11:
                if var nested = note("next elements", { try container.nestedUnkeyedContainer() }) { try ask(&nested) }
            case 12:
                if let decoder = note("next super", { try container.superDecoder() }) { try ask(decoder) }
            case 13: note("next Asking?") { try container.decodeIfPresent(Asking.self).map { _ in 1 } as Any }
            default: note("next Asking") { try container.decode(Asking.self) }
            }
        }
    }

    private func ask(_ container: any SingleValueDecodingContainer) throws {
        answers.append("at \(Verdict<Int>.path(container.codingPath))")
        for _ in 0...pick(2) where left > 0 {
            left -= 1
            switch pick(10) {
            case 0: note("lone nil") { container.decodeNil() }
            case 1: note("lone Bool") { try container.decode(Bool.self) }
            case 2: note("lone String") { try container.decode(String.self) }
            case 3: note("lone Int") { try container.decode(Int.self) }
            case 4: note("lone Float") { try container.decode(Float.self) }
            case 5: note("lone [Int]") { try container.decode([Int].self) }
            case 6: note("lone Int?") { try container.decode(Int?.self) as Any }
            default: note("lone Asking") { try container.decode(Asking.self) }
            }
        }
    }
}

/// In dictionaries, whose order differs between the two.
private struct JustAsking: Decodable {
    init(from decoder: any Decoder) throws {
        _ = try decoder.singleValueContainer().decodeNil()
    }
}
