// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONAPI
import WireJSON

/// An answer with errors.
struct Refusal: Error {
    var status: Int
    var errors: [JSONAPIErrorObject]
    /// The methods of an answer with the status 405.
    var allowedMethods: [String] = []

    init(_ status: Int, errors: [JSONAPIErrorObject]) {
        self.status = status
        self.errors = errors
    }

    init(
        _ status: Int, _ detail: String, pointer: JSONPointer? = nil, parameter: String? = nil, header: String? = nil
    ) {
        let source = JSONAPIErrorObject.Source(pointer: pointer?.description, parameter: parameter, header: header)
        let hasSource = source != JSONAPIErrorObject.Source()
        let error = JSONAPIErrorObject(status: String(status), detail: detail, source: hasSource ? source : nil)
        self.init(status, errors: [error])
    }

    /// The resource does not support the method.
    static func method(_ method: HTTPRequest.Method, allowed: [HTTPRequest.Method]) -> Self {
        var refusal = Self(405, "The method \(method) is not allowed here.")
        refusal.allowedMethods = allowed.map(\.rawValue)
        return refusal
    }

    /// The same refusal, with pointers that begin at the place of an operation.
    func inOperation(_ index: Int) -> Self {
        var copy = self
        for position in copy.errors.indices {
            let pointer = copy.errors[position].source?.pointer ?? ""
            copy.errors[position].source = JSONAPIErrorObject.Source(pointer: "/atomic:operations/\(index)" + pointer)
        }
        return copy
    }
}

/// An answer without errors.
struct Answer {
    var status: Int
    var document: RawDocument?
    var fields: HTTPFields = [:]
    var mediaType = JSONAPIMediaType()

    init(_ status: Int, _ document: RawDocument? = nil) {
        self.status = status
        self.document = document
    }
}
