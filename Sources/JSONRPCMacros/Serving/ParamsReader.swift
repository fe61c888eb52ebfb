// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

/// Reads a method's params, which come by position or by name, in the order of its parameters. Expansions use it.
///
/// What it throws is an `ErrorObject` with the code `invalidParams` that names the param.
public struct ParamsReader {
    private enum Source {
        case positions(any UnkeyedDecodingContainer)
        case names(KeyedDecodingContainer<Name>)
    }

    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { return nil }
    }

    private let names: [String]
    private var source: Source
    private var nextIndex = 0
    /// How many of the params by name were found.
    private var found = 0

    /// - Parameters:
    ///   - decoder: of the params as a whole.
    ///   - names: one for each param that will be read.
    public init(from decoder: any Decoder, names: [String]) throws {
        self.names = names
        if let container = try? decoder.container(keyedBy: Name.self) {
            source = .names(container)
        } else {
            source = .positions(try decoder.unkeyedContainer())
        }
    }

    private mutating func nextName() -> String {
        defer { nextIndex += 1 }
        return nextIndex < names.count ? names[nextIndex] : String(nextIndex)
    }

    /// The next param.
    public mutating func next<T: Decodable>(_ type: T.Type) throws -> T {
        let name = nextName()
        do {
            switch source {
            case .positions(var container):
                guard !container.isAtEnd else { throw ErrorObject(missingParam: name) }
                let value = try container.decode(type)
                source = .positions(container)
                return value
            case .names(let container):
                let key = Name(stringValue: name)
                guard container.contains(key) else { throw ErrorObject(missingParam: name) }
                found += 1
                return try container.decode(type, forKey: key)
            }
        } catch {
            throw ErrorObject(invalidParams: error, param: name)
        }
    }

    /// The next param, which may be absent or `null`.
    public mutating func next<T: Decodable>(_ type: T?.Type) throws -> T? {
        let name = nextName()
        do {
            switch source {
            case .positions(var container):
                guard !container.isAtEnd else { return nil }
                let value = try container.decodeIfPresent(T.self)
                source = .positions(container)
                return value
            case .names(let container):
                let key = Name(stringValue: name)
                guard container.contains(key) else { return nil }
                found += 1
                return try container.decodeIfPresent(T.self, forKey: key)
            }
        } catch {
            throw ErrorObject(invalidParams: error, param: name)
        }
    }

    /// Finds that there are no more params than were read.
    public func finish() throws {
        switch source {
        case .positions(let container):
            guard !container.isAtEnd else { return }
            let count = container.count.map { "\($0)" } ?? "more"
            throw ErrorObject(
                code: .invalidParams, message: "Invalid params: at most \(names.count) expected, \(count) given")
        case .names(let container):
            // Most peers send what is expected; of a name that comes twice, one counts.
            let given = container.allKeys
            guard given.count > found else { return }
            if let unknown = given.first(where: { !names.contains($0.stringValue) }) {
                throw ErrorObject(invalidParam: unknown.stringValue, reason: "is unknown")
            }
        }
    }
}

/// The params of a method that has none: absent, `[]` or `{}`. Expansions use it.
public struct NoParams: Decodable, Sendable {
    public init(from decoder: any Decoder) throws {
        try ParamsReader(from: decoder, names: []).finish()
    }
}
