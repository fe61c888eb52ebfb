// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import WireJSON

/// An operation of the extension "Atomic Operations".
struct ReceivedOperation: Decodable {
    /// The target of an operation.
    struct Reference: Decodable {
        var type: String
        var id: String?
        var lid: String?
        var relationship: String?
    }

    private enum CodingKeys: String, CodingKey {
        case op, ref, href, data
    }

    var op: String
    var ref: Reference?
    var href: String?
    /// It is `nil` if the member is absent.
    var data: PrimaryData?

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        op = try members.decode(String.self, forKey: .op)
        ref = try members.decodeIfPresent(Reference.self, forKey: .ref)
        href = try members.decodeIfPresent(String.self, forKey: .href)
        guard members.contains(.data) else { return }
        let data = try members.decode(RawJSON.self, forKey: .data)
        if data.bytes.first == UInt8(ascii: "[") {
            self.data = .collection(try data.decode())
        } else {
            self.data = .single(try data.decode(as: ResourceObject?.self))
        }
    }

    /// Reads the operations of a document.
    static func operations(in document: RawDocument) throws(Refusal) -> [ReceivedOperation] {
        let name = "atomic:operations"
        let member = document.additionalMembers[name] ?? .null
        do {
            let operations = try member.decode(as: [ReceivedOperation].self)
            if !operations.isEmpty { return operations }
        } catch let error as DecodingError {
            throw Refusal(400, "An operation cannot be read.", pointer: error.pointer(below: name))
        } catch {
            throw Refusal(400, "An operation cannot be read.", pointer: JSONPointer([name]))
        }
        throw Refusal(400, "There is no operation.", pointer: JSONPointer([name]))
    }
}

extension DecodingError {
    fileprivate func pointer(below name: String) -> JSONPointer {
        let path =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                context.codingPath
            @unknown default: [any CodingKey]()
            }
        return JSONPointer([name] + path.map { $0.intValue.map(String.init) ?? $0.stringValue })
    }
}
