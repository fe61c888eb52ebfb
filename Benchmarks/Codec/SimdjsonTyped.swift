// swift-jsonrpc · SPDX-License-Identifier: MIT

import Simdjson

/// A text which simdjson's On-Demand API reads into objects of C++.
final class SimdjsonTyped {
    private let text: OpaquePointer

    /// Checks that C++ reads the same values as `value` has.
    init(_ bytes: [UInt8], as model: simdjson_typed_model, equalTo value: Any) {
        guard let text = simdjson_typed_create(model, bytes, bytes.count), simdjson_typed_decode(text) else {
            fatalError("simdjson does not read a text of the benchmark as the model")
        }
        var digest = Digest()
        digest.add(Optional(value) as Any)
        guard simdjson_typed_digest(text) == digest.sum else {
            fatalError("simdjson reads other values from a text of the benchmark")
        }
        self.text = text
    }

    deinit {
        simdjson_typed_destroy(text)
    }

    /// The instructions for which it is compiled.
    static var kernel: String { String(cString: simdjson_typed_kernel()) }

    func decode() {
        guard simdjson_typed_decode(text) else { fatalError("simdjson does not read a text a second time") }
    }
}

/// The sum that `simdjson_typed_digest` makes, over the same values in the same order.
private struct Digest {
    var sum: UInt64 = 14_695_981_039_346_656_037

    private mutating func mix(_ word: UInt64) { sum = (sum ^ word) &* 1_099_511_628_211 }

    mutating func add(_ value: Any) {
        // First, because a cast would look through an optional.
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional || mirror.displayStyle == .collection {
            mix(UInt64(mirror.children.count))
        }
        guard mirror.displayStyle == nil else {
            for child in mirror.children { add(child.value) }
            return
        }
        switch value {
        case let number as Int: mix(UInt64(bitPattern: Int64(number)))
        case let number as Double: mix(number.bitPattern)
        case let flag as Bool: mix(flag ? 1 : 0)
        case let text as String:
            mix(UInt64(text.utf8.count))
            for byte in text.utf8 { mix(UInt64(byte)) }
        default: fatalError("The models have no values of type \(type(of: value))")
        }
    }
}
