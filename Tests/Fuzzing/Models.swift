// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials
import WireJSON

/// A type with members of each kind: repeated names, nested values of its own type, values of all sizes.
private struct Model: Codable, Equatable {
    enum Choice: Codable, Equatable {
        case none
        case one(Int8)
        case two(first: String, second: [Double]?)
    }

    var a: Int?
    var b: String?
    var c: [Model]?
    var d: [String: Model]?
    var e: Double?
    var f: Bool?
    var g: UInt8?
    var h: RawJSON?
    var i: JSONValue?
    var j: Choice?
    var k: [Int: Float]?
    var l: [Int?]?
    var m: Decimal?
    var n: Data?
}

/// Decodes a text as types of all kinds. A decoded value must not change when it is encoded and decoded again.
func checkModels(_ text: [UInt8], _ isValid: Bool) {
    check(Model.self, text, isValid)
    check([Model].self, text, isValid)
    check([String: Model].self, text, isValid)
    check([String: [Int]].self, text, isValid)
    check([Int].self, text, isValid)
    check([Double].self, text, isValid)
    check([String?].self, text, isValid)
    check(String.self, text, isValid)
    check(Double.self, text, isValid)
    check(UInt64.self, text, isValid)
    check(JSONNumber.self, text, isValid)
    check(RawJSON.self, text, isValid)
    checkConvertedNames(text, isValid)
}

private func check<T: Codable & Equatable>(_ type: T.Type, _ text: [UInt8], _ isValid: Bool) {
    guard let value = try? WireJSONDecoder().decode(type, from: text) else { return }
    precondition(isValid, "\(type) was decoded from what is no JSON")
    guard let written: [UInt8] = try? WireJSONEncoder().encode(value) else {
        preconditionFailure("\(type) cannot be encoded")
    }
    precondition((try? RawJSON(validating: written)) != nil, "\(type) was encoded as what is no JSON")
    // `RawJSON` keeps white space and spelling, so values that hold it compare equal too.
    precondition((try? WireJSONDecoder().decode(type, from: written)) == value, "\(type) changes on the way")
}

private func checkConvertedNames(_ text: [UInt8], _ isValid: Bool) {
    var decoder = WireJSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    decoder.duplicateMemberStrategy = .refuse
    let value = try? decoder.decode([String: [Date]].self, from: text)
    let model = try? decoder.decode(Model.self, from: text)
    precondition(isValid || (value == nil && model == nil), "something was decoded from what is no JSON")
}
