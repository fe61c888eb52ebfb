// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import Synchronization

/// The resources of a mock server, for any number of tasks.
final class ResourceStore: Sendable {
    private let options: MockJSONAPIServerOptions
    private let table: Mutex<ResourceTable>

    init(_ table: ResourceTable, options: MockJSONAPIServerOptions) {
        self.table = Mutex(table)
        self.options = options
    }

    var resources: [ResourceObject] { table.withLock { $0.all } }

    func change<Result: Sendable>(_ body: (inout ResourceTable) -> Result) -> Result { table.withLock { body(&$0) } }

    /// Performs a request. A refused request changes nothing, because the handler works on a copy of the table.
    func respond(to request: ReceivedHTTPRequest) -> (HTTPResponse, HTTPByteStream) {
        table.withLock { table in
            var handler = RequestHandler(options: options, request: request, table: table)
            do throws(Refusal) {
                let answer = try handler.answer()
                table = handler.table
                return Self.response(answer)
            } catch {
                return Self.response(error)
            }
        }
    }

    static func response(_ refusal: Refusal) -> (HTTPResponse, HTTPByteStream) {
        var answer = Answer(refusal.status, RawDocument(errors: refusal.errors))
        if !refusal.allowedMethods.isEmpty {
            answer.fields[.allow] = refusal.allowedMethods.joined(separator: ", ")
        }
        return response(answer)
    }

    private static func response(_ answer: Answer) -> (HTTPResponse, HTTPByteStream) {
        var fields = answer.fields
        var bytes: [UInt8] = []
        if var document = answer.document {
            document.jsonapi = JSONAPIObject(version: "1.1")
            fields[.contentType] = answer.mediaType.description
            bytes = document.bytes
        }
        fields[.vary] = "Accept"
        return (HTTPResponse(status: .init(code: answer.status), headerFields: fields), HTTPByteStream(bytes))
    }
}
