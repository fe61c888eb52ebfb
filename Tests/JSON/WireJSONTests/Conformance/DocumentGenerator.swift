// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Random numbers determined by a seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Makes JSON texts of all kinds, and damages them.
struct DocumentGenerator {
    private var random: SeededGenerator
    private var text: [UInt8] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// A well-formed text, mostly below 200 bytes.
    mutating func document() -> [UInt8] {
        text = []
        value(depth: 0)
        return text
    }

    /// A text with one to three faults: changed, removed, doubled or inserted bytes, or a cut end.
    mutating func damaged(_ document: [UInt8]) -> [UInt8] {
        var bytes = document
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
            case 1: bytes[index] = pick(Array("{}[],:\"\\0123456789-+.eEtfnu \n/'".utf8))
            case 2: bytes.remove(at: index)
            case 3: bytes.insert(bytes[Int.random(in: bytes.indices, using: &random)], at: index)
            case 4: bytes.removeLast(bytes.count - index)
            default:
                bytes.insert(
                    contentsOf: pick(["00", "\\u", "\\ud800", "1e5", "nul", ",", "]", "\u{FEFF}"]).utf8, at: index)
            }
        }
        return bytes
    }

    private mutating func pick<T>(_ choices: [T]) -> T {
        choices[Int.random(in: choices.indices, using: &random)]
    }

    private mutating func space() {
        if Int.random(in: 0..<8, using: &random) == 0 { text += pick([" ", "\n", "\t", "\r\n", "  "]).utf8 }
    }

    private mutating func value(depth: Int) {
        space()
        switch Int.random(in: 0..<(depth < 5 ? 10 : 6), using: &random) {
        case 0: text += pick(["null", "true", "false"]).utf8
        case 1, 2: number()
        case 3, 4, 5: string()
        case 6, 7: list("[", "]") { $0.value(depth: depth + 1) }
        default:
            list("{", "}") { generator in
                generator.string()
                generator.space()
                generator.text.append(UInt8(ascii: ":"))
                generator.value(depth: depth + 1)
            }
        }
        space()
    }

    private mutating func list(_ opening: String, _ closing: String, _ element: (inout Self) -> Void) {
        text += opening.utf8
        for index in 0..<Int.random(in: 0..<5, using: &random) {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            space()
            element(&self)
        }
        space()
        text += closing.utf8
    }

    private mutating func number() {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: text += Int.random(in: -1000...1000, using: &random).description.utf8
        case 1: text += Int64(bitPattern: random.next()).description.utf8
        case 2: text += random.next().description.utf8
        case 3: text += (Double.random(in: -1...1, using: &random) * 1e6).description.utf8
        case 4:
            let double = Double(bitPattern: random.next())
            text += (double.isFinite ? double : 0).description.utf8
        default:
            text +=
                pick(["0", "-0", "0.0", "1e5", "1E+5", "-1.5e-5", "0e0", "100", "1.000", "123456789012345678"]).utf8
        }
    }

    private mutating func string() {
        text.append(UInt8(ascii: "\""))
        for _ in 0..<Int.random(in: 0..<10, using: &random) {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: text += pick(["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"]).utf8
            case 1: text += pick(["\\u0041", "\\u00e9", "\\uD83D\\uDE00", "\\u0000", "\\uFFFF", "\\u2028"]).utf8
            case 2: text += pick(["é", "ß", "日", "😀", "\u{7F}", "\u{10FFFF}", "e\u{301}"]).utf8
            default:
                text += pick(["a", "b", "key", "id", " ", "0", "{", "]", ",", ":", "long enough to fill words"]).utf8
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
