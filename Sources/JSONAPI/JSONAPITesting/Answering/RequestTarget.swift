// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

enum RequestTarget: Hashable {
    case collection(type: String)
    case resource(type: String, id: String)
    /// The resources that a resource refers to.
    case related(type: String, id: String, name: String)
    /// The references of a resource.
    case relationship(type: String, id: String, name: String)
    case operations

    /// Reads a path as it was sent, without the query. It is `nil` for paths that are not below that of the API,
    /// and for those with malformed percent-encoding.
    init?(path: String, options: MockJSONAPIServerOptions) {
        guard path.hasPrefix(options.basePath) else { return nil }
        let rest = path.dropFirst(options.basePath.count)
        guard rest.isEmpty || rest.first == "/" else { return nil }
        if rest == options.operationsPath {
            self = .operations
            return
        }
        let encoded = rest.split(separator: "/")
        let segments = encoded.compactMap { String(percentEncoded: $0) }
        guard segments.count == encoded.count else { return nil }
        switch (segments.count, segments.dropFirst(2).first) {
        case (1, _): self = .collection(type: segments[0])
        case (2, _): self = .resource(type: segments[0], id: segments[1])
        case (3, _): self = .related(type: segments[0], id: segments[1], name: segments[2])
        case (4, "relationships"): self = .relationship(type: segments[0], id: segments[1], name: segments[3])
        default: return nil
        }
    }

    var type: String? {
        switch self {
        case .collection(let type), .resource(let type, _), .related(let type, _, _), .relationship(let type, _, _):
            type
        case .operations: nil
        }
    }
}
