// swift-jsonrpc · SPDX-License-Identifier: MIT

// Compiled by `Scripts/fuzz.sh`, and linked with the modules that it imports.

@testable import JSONRPCCore
import WireJSON

/// libFuzzer calls this with each text. A broken invariant traps, and libFuzzer reports the trap with the text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Array(UnsafeBufferPointer(start: start, count: count))
    let isValid = verdict(text)
    checkEnvelopes(text, isValid)
    checkPieces(text, isValid)
    checkModels(text, isValid)
    return 0
}

/// Accepts any text.
private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
}

/// Whether the text is JSON. The three readers must agree. Half a surrogate pair is JSON, but not a `String`.
private func verdict(_ text: [UInt8]) -> Bool {
    let isValid = (try? RawJSON(validating: text)) != nil
    let hasTape = (try? WireJSONDecoder().decode(Anything.self, from: text)) != nil
    precondition(isValid == hasTape, "the tape's verdict differs")
    do throws(JSONSyntaxError) {
        let value = try JSONValue(parsing: text)
        precondition(isValid, "a value was read from what is no JSON")
        checkRoundTrip(value, text)
    } catch {
        precondition(!isValid || error.reason == .unpairedSurrogate, "no value was read from JSON: \(error)")
    }
    return isValid
}

/// A value must not change when it is written and read again, by each writer.
private func checkRoundTrip(_ value: JSONValue, _ text: [UInt8]) {
    let written = value.bytes
    precondition((try? JSONValue(parsing: written)) == value, "a value changes when it is written and read")
    guard let encoded: [UInt8] = try? WireJSONEncoder().encode(value) else {
        preconditionFailure("a value cannot be encoded")
    }
    precondition((try? WireJSONDecoder().decode(JSONValue.self, from: encoded)) == value, "the coders change a value")
    var pretty = WireJSONEncoder()
    pretty.outputFormatting = [.prettyPrinted, .sortedKeys]
    guard let formatted: [UInt8] = try? pretty.encode(value) else { preconditionFailure("a value cannot be formatted") }
    // Written with the depth of the source, which the default limit has accepted.
    precondition((try? JSONValue(parsing: formatted)) == value, "formatting changes a value")
}

private func checkEnvelopes(_ text: [UInt8], _ isValid: Bool) {
    var members: [MessageEnvelope] = []
    do throws(MessageScanFailure) {
        let scan = try text.withUnsafeBytes { bytes in
            Result { () throws(MessageScanFailure) in try EnvelopeScanner().scan(bytes, members: &members) }
        }.get()
        precondition(isValid, "an envelope was found in what is no JSON")
        if case .single(let envelope) = scan { check(envelope, in: text) }
        for member in members { check(member, in: text) }
    } catch {
        precondition(!isValid, "no envelope was found in JSON: \(error)")
    }
}

/// Each part of a message must itself be JSON.
private func check(_ envelope: MessageEnvelope, in text: [UInt8]) {
    var parts = [envelope.params, envelope.result, envelope.error, envelope.range]
    if case .other(let range) = envelope.id { parts.append(range) }
    if case .other(let range) = envelope.method { parts.append(range) }
    for case .some(let part) in parts {
        precondition(part.lowerBound >= 0 && part.upperBound <= text.count, "a part lies outside of the text")
        precondition((try? RawJSON(validating: text[part])) != nil, "a part of a message is no JSON")
    }
}

/// The elements of an array must not depend on how its text is cut into pieces.
private func checkPieces(_ text: [UInt8], _ isValid: Bool) {
    for framing in [JSONElementSplitter.Framing.array, .sequence, .lines] {
        let whole = elements(of: text, framing, piece: max(text.count, 1))
        let pieces = elements(of: text, framing, piece: 3)
        precondition(whole == pieces, "the elements depend on the pieces")
        if isValid, framing == .array, let whole, let value = try? JSONValue(parsing: text) {
            precondition(value.arrayValue.map { $0.count == whole.count } ?? true, "elements are missing")
        }
    }
}

private func elements(of text: [UInt8], _ framing: JSONElementSplitter.Framing, piece: Int) -> [RawJSON]? {
    var splitter = JSONElementSplitter(framing: framing)
    var elements: [RawJSON] = []
    do {
        var start = 0
        while start < text.count {
            let end = min(start + piece, text.count)
            try splitter.append(text[start..<end]) { elements.append($0) }
            start = end
        }
        try splitter.finish { elements.append($0) }
        return elements
    } catch {
        return nil
    }
}
