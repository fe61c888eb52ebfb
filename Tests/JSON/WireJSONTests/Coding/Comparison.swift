// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Testing
import WireJSON

/// The result of a coder for one input: a value, or a kind of error and its path.
enum Verdict<Value: Equatable>: Equatable {
    case value(Value)
    case error(String)

    init(_ body: () throws -> Value) {
        do {
            self = .value(try body())
        } catch let error as DecodingError {
            self = .error(Self.text(error))
        } catch let error as EncodingError {
            guard case .invalidValue(_, let context) = error else {
                self = .error("another EncodingError")
                return
            }
            self = .error("invalidValue at \(Self.path(context.codingPath))")
        } catch {
            self = .error("\(error)")
        }
    }

    private static func text(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(let type, let context): "typeMismatch \(type) at \(path(context.codingPath))"
        case .valueNotFound(let type, let context): "valueNotFound \(type) at \(path(context.codingPath))"
        case .keyNotFound(let key, let context): "keyNotFound \(key.stringValue) at \(path(context.codingPath))"
        case .dataCorrupted(let context): "dataCorrupted at \(path(context.codingPath))"
        @unknown default: "another DecodingError"
        }
    }

    static func path(_ path: [any CodingKey]) -> String {
        path.map { $0.intValue.map { "[\($0)]" } ?? "." + $0.stringValue }.joined()
    }
}

/// Passes a value through both encoders and both decoders. The value must not change.
func expectSameCoding<T: Codable & Equatable>(
    _ value: T, _ ours: (WireJSONEncoder, WireJSONDecoder) = (WireJSONEncoder(), WireJSONDecoder()),
    _ theirs: (JSONEncoder, JSONDecoder) = (JSONEncoder(), JSONDecoder()),
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let text: [UInt8] = try ours.0.encode(value)
    let data = try theirs.0.encode(value)
    #expect(try JSONValue(parsing: text) == JSONValue(parsing: Array(data)), sourceLocation: sourceLocation)
    #expect(try ours.1.decode(T.self, from: text) == value, sourceLocation: sourceLocation)
    #expect(try ours.1.decode(T.self, from: data) == value, sourceLocation: sourceLocation)
    #expect(try theirs.1.decode(T.self, from: Data(text)) == value, sourceLocation: sourceLocation)
}

/// Decodes a text with both decoders. They must give the same value, or the same error at the same path. If
/// Foundation's error has no path, ours may have one.
func expectSameDecoding<T: Decodable & Equatable>(
    _ type: T.Type, _ text: String, _ ours: WireJSONDecoder = WireJSONDecoder(), _ theirs: JSONDecoder = JSONDecoder(),
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let our = Verdict { try ours.decode(type, from: Array(text.utf8)) }
    let their = Verdict { try theirs.decode(type, from: Data(text.utf8)) }
    if case (.error("dataCorrupted at "), .error(let text)) = (their, our), text.hasPrefix("dataCorrupted at ") {
        return
    }
    #expect(our == their, "\(type) from \(text)", sourceLocation: sourceLocation)
}
