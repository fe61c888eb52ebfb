// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONAPIErrorObject {
    /// Returns the property that the error is about: `/data/attributes/title` makes `\.title`.
    ///
    /// Pointers into operations of an atomic request and into a part of an attribute lead to the field, too.
    ///
    /// - Returns: The property; `nil` if the error has no pointer, or if it is none of a field of the type.
    public func field<R: Resource>(of type: R.Type) -> PartialKeyPath<R>? {
        guard var tokens = source?.pointer.flatMap({ JSONPointer(parsing: $0) })?.tokens[...] else { return nil }
        if tokens.first == AtomicOperations.operations { tokens = tokens.dropFirst(2) }
        guard tokens.popFirst() == "data", let kind = tokens.popFirst(), let name = tokens.first,
            let field = R.schema[name], (kind == "attributes") == (field.kind == .attribute),
            kind == "attributes" || kind == "relationships"
        else { return nil }
        return field.path
    }
}

extension JSONAPIError {
    /// Returns the errors of the server about a field.
    public func errors<R: Resource>(about field: PartialKeyPath<R>) -> [JSONAPIErrorObject] {
        errors.filter { $0.field(of: R.self) == field }
    }
}
