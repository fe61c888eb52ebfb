// swift-jsonrpc · SPDX-License-Identifier: MIT

// Compiled by `Scripts/fuzz.sh` together with the shapes of WireJSONMacrosTests, and linked with WireJSON.

import WireJSON

/// libFuzzer calls this with each text. The first byte selects a type, and the others are read as that type. A
/// difference between the generated code and `Codable` traps, and libFuzzer reports the trap with the text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    checks[Int(first) % checks.count](Array(input.dropFirst()))
    return 0
}

private let checks: [@Sendable ([UInt8]) -> Void] = [
    { check(Flat.self, $0) }, { check(Required.self, $0) }, { check(Renamed.self, $0) }, { check(OwnKeys.self, $0) },
    { check(Tree.self, $0) }, { check(Known.self, $0) }, { check([Color].self, $0) }, { check([Level].self, $0) },
    { check([Payload].self, $0) }, { check([String: RenamedPayload].self, $0) }, { check(Wrapper<Tree>.self, $0) },
    { check(Mixed.self, $0) }, { check(Outer.self, $0) }, { check(Choices.self, $0) },
    { check([Space.Inside?].self, $0) },
    { check(Space.Choice.self, $0) },
]

private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

private let decoder = WireJSONDecoder()
private let encoder = WireJSONEncoder()

/// A key strategy that changes nothing, so that everything goes through `Codable`.
private let plainDecoder: WireJSONDecoder = {
    var decoder = WireJSONDecoder()
    decoder.keyDecodingStrategy = .custom { $0.last ?? Key(stringValue: "") }
    return decoder
}()

private let plainEncoder: WireJSONEncoder = {
    var encoder = WireJSONEncoder()
    encoder.keyEncodingStrategy = .custom { $0.last ?? Key(stringValue: "") }
    return encoder
}()

private func check<T: Codable & Equatable>(_ type: T.Type, _ text: [UInt8]) {
    let direct = Result { try decoder.decode(type, from: text) }
    let plain = Result { try plainDecoder.decode(type, from: text) }
    switch (direct, plain) {
    case (.success(let value), .success(let other)):
        guard value == other else { preconditionFailure("\(type) has another value: \(value), \(other)") }
        let written = Result { try encoder.encode(value) as [UInt8] }
        let expected = Result { try plainEncoder.encode(value) as [UInt8] }
        switch (written, expected) {
        case (.success(let text), .success(let other)): precondition(text == other, "\(type) is written otherwise")
        case (.failure(let error), .failure(let other)):
            precondition("\(error)" == "\(other)", "\(type) has another error: \(error), \(other)")
        default: preconditionFailure("\(type) is written in one way only: \(written), \(expected)")
        }
    case (.failure(let error), .failure(let other)):
        precondition("\(error)" == "\(other)", "\(type) has another error: \(error), \(other)")
    default: preconditionFailure("\(type) is read in one way only: \(direct), \(plain)")
    }
}
