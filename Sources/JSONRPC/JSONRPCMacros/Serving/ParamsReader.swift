// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

/// Reads the params of a method, by position or by name, in the order of the parameters. Expansions call it.
///
/// Its methods throw an `ErrorObject` with the code `invalidParams` that names the param.
public struct ParamsReader {
    private enum Source {
        case positions(any UnkeyedDecodingContainer)
        case names(KeyedDecodingContainer<ParamName>)
    }

    private let names: [String]
    private var source: Source
    private var nextIndex = 0
    /// By name, the number of params that were found.
    private var found = 0

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - decoder: The decoder of the params as a whole.
    ///   - names: The name of each param that will be read.
    public init(from decoder: any Decoder, names: [String]) throws {
        self.names = names
        if let container = try? decoder.container(keyedBy: ParamName.self) {
            source = .names(container)
        } else {
            source = .positions(try decoder.unkeyedContainer())
        }
    }

    private mutating func nextName() -> String {
        defer { nextIndex += 1 }
        return nextIndex < names.count ? names[nextIndex] : String(nextIndex)
    }

    /// Returns the next param, and throws an `ErrorObject` that names it if it is missing or cannot be decoded.
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
                let key = ParamName(name)
                guard container.contains(key) else { throw ErrorObject(missingParam: name) }
                found += 1
                return try container.decode(type, forKey: key)
            }
        } catch {
            throw ErrorObject(invalidParams: error, param: name)
        }
    }

    /// Returns the next param; `nil` if it is absent or `null`.
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
                let key = ParamName(name)
                guard container.contains(key) else { return nil }
                found += 1
                return try container.decodeIfPresent(T.self, forKey: key)
            }
        } catch {
            throw ErrorObject(invalidParams: error, param: name)
        }
    }

    @available(
        *, unavailable,
        message: """
            a service decodes the params: conform the parameter's type to 'Decodable' or 'Codable', or write \
            '@JSONRPCProxy' if the peer does not call this protocol
            """
    )
    public mutating func next<T>(_ type: T.Type) throws -> T { throw ErrorObject(.internalError) }

    /// Throws if there are more params than were read.
    public func refuseUnknown() throws {
        switch source {
        case .positions(let container):
            guard !container.isAtEnd else { return }
            let count = container.count.map { "\($0)" } ?? "more"
            throw ErrorObject(
                code: .invalidParams, message: "Invalid params: expected at most \(names.count), got \(count)")
        case .names(let container):
            // Without unknown params, this costs one comparison. A repeated name counts once.
            let given = container.allKeys
            guard given.count > found else { return }
            if let unknown = given.first(where: { !names.contains($0.stringValue) }) {
                throw ErrorObject(invalidParam: unknown.stringValue, reason: "is unknown")
            }
        }
    }
}
