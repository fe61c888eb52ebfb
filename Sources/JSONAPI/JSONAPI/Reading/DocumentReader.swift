// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A fault in a document: its reason, and the number of the faulty value in the tree.
struct DocumentFault: Error {
    var reason: DocumentError.Reason
    var index: Int
}

/// Reads the values of a scanned document. Values are given by their numbers in the ``JSONTree``.
struct DocumentReader: Sendable {
    let tree: JSONTree
    var readsNumbersAsIDs = false
    /// Whether unreadable links are kept as additional members. This is on inside error objects, so that such a link
    /// does not hide the error.
    var keepsUnreadableLinks = false
    /// Whether required members can be missing, as in the documents of programs.
    var allowsMissingMembers = false

    static func reading<Value>(
        _ bytes: ArraySlice<UInt8>, options: DocumentOptions,
        _ read: (DocumentReader) throws(DocumentFault) -> Value
    ) throws(DocumentError) -> Value {
        var reader = try DocumentReader(bytes, limits: options.limits)
        reader.readsNumbersAsIDs = options.readsNumbersAsIDs
        let value = try reader.reporting(read)
        guard options.refusesViolations else { return value }
        let findings = try DocumentLinter(limits: options.limits).findings(in: reader.tree.json(at: 0))
            .filter { $0.rule.isRequirement }
        if let first = findings.first { throw DocumentError(.violations(findings), at: first.pointer) }
        return value
    }

    /// Creates a reader of JSON that was read or made before.
    init(_ json: RawJSON) throws(DocumentError) {
        // The value was validated under limits of its own.
        try self.init(json.bytes, limits: JSONLimits(maximumDepth: JSONLimits.largestMaximumDepth))
    }

    init(_ tree: JSONTree) { self.tree = tree }

    private init(_ bytes: ArraySlice<UInt8>, limits: JSONLimits) throws(DocumentError) {
        do {
            tree = try JSONTree(parsing: bytes, limits: limits)
        } catch {
            throw DocumentError(.notJSON(error))
        }
    }

    /// Calls a function, and reports a fault with its place.
    func reporting<Value>(_ read: (DocumentReader) throws(DocumentFault) -> Value) throws(DocumentError) -> Value {
        do throws(DocumentFault) {
            return try read(self)
        } catch {
            throw DocumentError(error.reason, at: tree.pointer(to: error.index))
        }
    }

    // MARK: Values

    func wrongKind(_ expected: Set<JSONKind>, _ index: Int) -> DocumentFault {
        DocumentFault(reason: .wrongKind(expected: expected, found: tree.kind(at: index)), index: index)
    }

    // The kinds are matched, because comparing values of a type of another module costs a call.

    func expectObject(_ index: Int) throws(DocumentFault) {
        guard case .object = tree.entries[index].kind else { throw wrongKind([.object], index) }
    }

    func expectArray(_ index: Int) throws(DocumentFault) {
        guard case .array = tree.entries[index].kind else { throw wrongKind([.array], index) }
    }

    /// Expects a string that a `String` can hold.
    func expectString(_ index: Int) throws(DocumentFault) {
        let entry = tree.entries[index]
        guard case .string = entry.kind, !entry.isEscaped else { return _ = try string(index) }
    }

    /// Expects a value of `id` or `lid`.
    func expectIdentification(_ index: Int) throws(DocumentFault) {
        if readsNumbersAsIDs, tree.kind(at: index) == .number { return }
        try expectString(index)
    }

    func string(_ index: Int) throws(DocumentFault) -> String {
        guard case .string = tree.entries[index].kind else { throw wrongKind([.string], index) }
        guard let string = tree.string(at: index) else { throw DocumentFault(reason: .unreadableString, index: index) }
        return string
    }

    /// Reads a value of `id` or `lid`.
    func identification(_ index: Int) throws(DocumentFault) -> String {
        try expectIdentification(index)
        return text(index) ?? ""
    }

    /// The text of a string or number. It is `nil` for an absent part, which has the number 0.
    func text(_ index: Int) -> String? {
        guard index != 0 else { return nil }
        return tree.string(at: index) ?? tree.json(at: index).text
    }

    /// The object of a part that was checked. It is `nil` for an absent part, which has the number 0.
    func rawObject(_ index: Int) -> RawObject? { index == 0 ? nil : RawObject(unchecked: tree.json(at: index)) }

    func array<Part: DocumentPart>(_ array: Int) throws(DocumentFault) -> [Part] {
        try elements(of: array) { (element) throws(DocumentFault) in try Part(reading: element, with: self) }
    }

    @inline(__always)
    func elements<Value>(
        of array: Int, _ read: (Int) throws(DocumentFault) -> Value
    ) throws(DocumentFault) -> [Value] {
        try expectArray(array)
        var values: [Value] = []
        var elements = tree.elements(of: array)
        while let element = elements.next(in: tree) { values.append(try read(element)) }
        return values
    }

    /// Reads the members of an object with `read`, which returns whether it has used the member. Members whose names
    /// escape half of a surrogate pair are left out, because no `String` can hold such a name.
    ///
    /// - Returns: The members that were not used. A member that the specification defines is among them if its value is
    ///   `null` and `read` does not accept that, so that it is written again.
    func object(
        _ object: Int, _ read: (_ name: String, _ value: Int) throws(DocumentFault) -> Bool
    ) throws(DocumentFault) -> RawMembers {
        try expectObject(object)
        var others = RawMembers()
        var names = tree.names(in: object)
        while let index = names.next(in: tree) {
            guard let name = tree.string(at: index) else { continue }
            if try !read(name, index + 1) { others[name] = tree.json(at: index + 1) }
        }
        return others
    }

    /// Whether a `String` can hold a name, and the name is neither that of an extension nor of an @-member.
    func isRegular(_ name: Int) -> Bool {
        guard !tree.entries[name].isEscaped else {
            return tree.string(at: name).map { MemberName.kind(of: $0) == .regular } ?? false
        }
        return tree.firstByte(at: name) != UInt8(ascii: "@") && !tree.contains(UInt8(ascii: ":"), at: name)
    }
}
