// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials

extension EncodingSession {
    /// Writes a value at the end of the text. Types with their own form in JSON are not encoded through their
    /// `encode(to:)`.
    func append<T: Encodable>(_ value: T, step: @autoclosure () -> Step, parent: UInt32) throws {
        let escapes = escapesSlashes
        let known = known(T.self)
        switch known.kind {
        case .string: output.append(string: same(value, as: String.self), escapesSlashes: escapes)
        case .int: output.append(integer: same(value, as: Int.self))
        case .double: try append(float: same(value, as: Double.self), step: step(), parent: parent)
        case .bool: output.append(same(value, as: Bool.self))
        case .ints: appendElements(same(value, as: [Int].self)) { output.append(integer: $0) }
        case .strings:
            appendElements(same(value, as: [String].self)) { output.append(string: $0, escapesSlashes: escapes) }
        case .doubles where same(value, as: [Double].self).allSatisfy(\.isFinite):
            appendElements(same(value, as: [Double].self)) { output.append(float: $0) }
        case .date: try append(date: same(value, as: Date.self), step: step(), parent: parent)
        case .data: try append(data: same(value, as: Data.self), step: step(), parent: parent)
        case .url: output.append(string: same(value, as: URL.self).absoluteString, escapesSlashes: escapes)
        case .decimal: try append(decimal: same(value, as: Decimal.self), step: step(), parent: parent)
        case .raw: output.append(same(value, as: RawJSON.self).bytes)
        case .value: append(same(value, as: JSONValue.self))
        case .number: output.append(same(value, as: JSONNumber.self).description)
        case .doubles, .other:
            if let direct = known.direct, writeDirectly(value, as: direct, step: step(), parent: parent) { return }
            if let collection = known.collection {
                try append(value, as: collection, step: step(), parent: parent)
            } else {
                try encode(value, step: step(), parent: parent)
            }
        }
    }

    @inline(never)
    private func append<T>(
        _ value: T, as collection: any JSONEncodableCollection.Type, step: Step, parent: UInt32
    ) throws {
        try encode(value, step, in: parent) { try collection.encode(value, into: self, as: $0) }
    }

    @inline(__always)
    private func appendElements<Element>(_ elements: [Element], _ append: (Element) -> Void) {
        output.append(UInt8(ascii: "["))
        var isFirst = true
        for element in elements {
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            append(element)
        }
        output.append(UInt8(ascii: "]"))
    }

    func append(_ value: JSONValue) { output.append(value.bytes(escapesSlashes: escapesSlashes)[...]) }

    @inline(__always)
    func append<T: BinaryFloatingPoint & CustomStringConvertible & Encodable>(
        float value: T, step: @autoclosure () -> Step, parent: UInt32
    ) throws {
        if value.isFinite {
            output.append(float: value)
        } else {
            try append(nonConforming: value, step: step(), parent: parent)
        }
    }

    @inline(never)
    private func append<T: BinaryFloatingPoint>(nonConforming value: T, step: Step, parent: UInt32) throws {
        guard
            case .convertToString(let infinity, let minusInfinity, let nan) = options.values
                .nonConformingFloatEncodingStrategy
        else { throw invalid(value, "JSON has no number \(value)", step, parent) }
        let word = value.isNaN ? nan : value > 0 ? infinity : minusInfinity
        output.append(string: word, escapesSlashes: escapesSlashes)
    }

    func invalid(_ value: Any, _ problem: String, _ step: Step, _ parent: UInt32) -> EncodingError {
        .invalidValue(
            value, .init(codingPath: path(ofSlot: parent) + keys(of: step), debugDescription: "\(problem)."))
    }

    private func append(date: Date, step: Step, parent: UInt32) throws {
        switch options.values.dateEncodingStrategy {
        case .deferredToDate: try encode(date, step: step, parent: parent)
        case .secondsSince1970: try append(float: date.timeIntervalSince1970, step: step, parent: parent)
        case .millisecondsSince1970: try append(float: 1000 * date.timeIntervalSince1970, step: step, parent: parent)
        case .iso8601:
            output.append(string: date.formatted(Date.ISO8601FormatStyle()), escapesSlashes: escapesSlashes)
        case .custom(let write): try encode(Custom { try write(date, $0) }, step: step, parent: parent)
        }
    }

    private func append(data: Data, step: Step, parent: UInt32) throws {
        switch options.values.dataEncodingStrategy {
        case .deferredToData: try encode(data, step: step, parent: parent)
        case .base64: output.append(string: data.base64EncodedString(), escapesSlashes: escapesSlashes)
        case .custom(let write): try encode(Custom { try write(data, $0) }, step: step, parent: parent)
        }
    }

    private func append(decimal: Decimal, step: Step, parent: UInt32) throws {
        guard decimal.isFinite else { throw invalid(decimal, "JSON has no number \(decimal)", step, parent) }
        output.append(decimal.description)
    }

    /// A value that a function encodes.
    private struct Custom: Encodable {
        let write: (any Encoder) throws -> Void

        func encode(to encoder: any Encoder) throws { try write(encoder) }
    }
}

extension EncodingSession {
    func convertedName(_ key: any CodingKey, in handle: Handle) -> String {
        switch options.values.keyEncodingStrategy {
        case .useDefaultKeys: key.stringValue
        case .convertToSnakeCase: SnakeCase.snakeCase(key.stringValue)
        case .custom(let convert): convert(path(of: handle) + [key]).stringValue
        }
    }
}
