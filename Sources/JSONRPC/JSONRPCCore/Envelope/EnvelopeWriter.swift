// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

/// Writes messages around encoded values.
///
/// A request is written in two steps, because its id is known last. The caller's task writes everything after the id
/// (the *tail*). The session's critical section then writes the head and the id.
///
/// ```
/// {"jsonrpc":"2.0","id":   7   ,"method":"subtract","params":[42,23]}
/// └──── head ───────────┘ └id┘ └──────────────── tail ─────────────┘
/// ```
package struct EnvelopeWriter: Sendable {
    /// From the opening brace to where the id goes.
    package let requestHead: [UInt8]
    /// From the opening brace to the first member after the version.
    private let open: [UInt8]

    package init(version: VersionMember.Outbound) {
        switch version {
        case .sent:
            requestHead = Array(#"{"jsonrpc":"2.0","id":"#.utf8)
            open = Array(#"{"jsonrpc":"2.0","#.utf8)
        case .omitted:
            requestHead = Array(#"{"id":"#.utf8)
            open = Array("{".utf8)
        }
    }

    // MARK: Requests

    /// Appends the part of a request after its id. The params are an array or an object, or `null` for none. If it
    /// throws, nothing is appended.
    package func appendRequestTail(
        method: String, extra: ExtraMembers, to bytes: inout [UInt8], encode: (inout [UInt8]) throws -> Void
    ) throws(ClientError) {
        let start = bytes.count
        beginTail(method: method, to: &bytes)
        let params: Range<Int>?
        do throws(ClientError) {
            params = try ParamsText.append(to: &bytes, method: method, encode: encode)
        } catch {
            bytes.removeSubrange(start...)
            throw error
        }
        if params != nil { return endTail(extra: extra, to: &bytes) }
        bytes.removeSubrange(start...)
        appendRequestTail(method: method, params: nil, extra: extra, to: &bytes)
    }

    /// Appends a request's tail up to its params. The params follow, then ``endTail(extra:to:)``.
    package func beginTail(method: String, to bytes: inout [UInt8]) {
        if appendPlain(method, Self.tailParams.utf8CodeUnitCount, to: &bytes, { $0.append(Self.tailParams) }) { return }
        bytes.append(UInt8(ascii: ","))
        bytes.append(contentsOf: #""method":"#.utf8)
        JSONText.writeString(method, into: &bytes)
        bytes.append(contentsOf: #","params":"#.utf8)
    }

    /// Appends the end of a request's tail, or of a notification.
    package func endTail(extra: ExtraMembers, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: extra.bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Appends the part of a request after its id. `params` is an array, an object, or `nil` for none.
    package func appendRequestTail(
        method: String, params: RawJSON?, extra: ExtraMembers = ExtraMembers(), to bytes: inout [UInt8]
    ) {
        if appendPlainTail(method, params, extra, to: &bytes) { return }
        let size = 32 + method.utf8.count + (params?.bytes.count ?? 0) + extra.bytes.count
        if bytes.isEmpty { bytes.reserveCapacity(size) }
        bytes.append(UInt8(ascii: ","))
        appendCall(method: method, params: params, extra: extra, to: &bytes)
    }

    /// Fast path for a short request whose method needs no escape. It returns `false` for other requests and appends
    /// nothing.
    private func appendPlainTail(
        _ method: String, _ params: RawJSON?, _ extra: ExtraMembers, to bytes: inout [UInt8]
    ) -> Bool {
        let rest = Self.tailParams.utf8CodeUnitCount + (params?.bytes.count ?? 0) + extra.bytes.count + 1
        return appendPlain(method, rest, to: &bytes) { text in
            if let params {
                text.append(Self.tailParams)
                params.bytes.withUnsafeBytes { text.append($0) }
            } else {
                text.append(Self.tailEnd)
            }
            if !extra.isEmpty { extra.bytes.withUnsafeBytes { text.append($0) } }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// Composes a part of a tail on the stack, and appends it: up to the end of the method, and at most `capacity`
    /// bytes more. Returns `false` if it is too long or the method needs an escape; nothing is appended then.
    @inline(__always)
    private func appendPlain(
        _ method: String, _ capacity: Int, to bytes: inout [UInt8], _ rest: (inout StackText) -> Void
    ) -> Bool {
        var method = method
        return method.withUTF8 { method in
            let capacity = Self.tailStart.utf8CodeUnitCount + method.count + capacity
            guard capacity <= StackText.maximumBytes, JSONText.needsNoEscape(method) else { return false }
            StackText.append(upTo: capacity, to: &bytes) { text in
                text.append(Self.tailStart)
                text.append(UnsafeRawBufferPointer(method))
                rest(&text)
            }
            return true
        }
    }

    private static var tailStart: StaticString { #","method":""# }
    private static var tailParams: StaticString { #"","params":"# }
    private static var tailEnd: StaticString { #"""# }

    package func appendRequest(id: RequestID, tail: [UInt8], to bytes: inout [UInt8]) {
        tail.withUnsafeBytes { appendRequest(id: id, tail: $0, to: &bytes) }
    }

    package func appendRequest(id: RequestID, tail: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        Self.withBytes(of: id) { id in
            let capacity = requestHead.count + id.count + tail.count
            guard capacity <= StackText.maximumBytes else {
                bytes.append(contentsOf: requestHead)
                bytes.append(contentsOf: id)
                return bytes.append(contentsOf: tail)
            }
            StackText.append(upTo: capacity, to: &bytes) { text in
                requestHead.withUnsafeBytes { text.append($0) }
                text.append(id)
                text.append(tail)
            }
        }
    }

    /// Appends a request from its beginning to the end of its id. The tail follows.
    package func beginRequest(id: RequestID, _ bytes: inout [UInt8]) {
        bytes.append(contentsOf: requestHead)
        id.write(into: &bytes)
    }

    package func appendNotification(
        method: String, params: RawJSON?, extra: ExtraMembers = ExtraMembers(), to bytes: inout [UInt8]
    ) {
        bytes.append(contentsOf: open)
        appendCall(method: method, params: params, extra: extra, to: &bytes)
    }

    // MARK: Responses

    /// Appends the part of a response before its result. The result follows, then ``endResponse(_:)``.
    package func beginResponse(id: Int64, _ bytes: inout [UInt8]) {
        bytes.append(contentsOf: requestHead)
        JSONText.writeInteger(id, into: &bytes)
        Self.resultName.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Does the same for an id given byte for byte.
    package func beginResponse(id: RawJSON, _ bytes: inout [UInt8]) {
        appendAnswer(id: .json(id), member: Self.resultName, to: &bytes)
    }

    package func endResponse(_ bytes: inout [UInt8]) { bytes.append(UInt8(ascii: "}")) }

    private static var resultName: StaticString { #","result":"# }

    /// Appends an error response. The id `nil` writes `null`, for a request whose id could not be read.
    package func appendErrorResponse(id: EchoedID?, error: ErrorObject, to bytes: inout [UInt8]) {
        appendAnswer(id: id, member: #","error":"#, to: &bytes)
        error.append(to: &bytes)
        endResponse(&bytes)
    }

    // MARK: Parts

    private func appendCall(method: String, params: RawJSON?, extra: ExtraMembers, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #""method":"#.utf8)
        JSONText.writeString(method, into: &bytes)
        if let params {
            bytes.append(contentsOf: #","params":"#.utf8)
            bytes.append(contentsOf: params.bytes)
        }
        endTail(extra: extra, to: &bytes)
    }

    private func appendAnswer(id: EchoedID?, member: StaticString, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: requestHead)
        switch id {
        case .number(let number): JSONText.writeInteger(number, into: &bytes)
        case .json(let json): bytes.append(contentsOf: json.bytes)
        case nil: bytes.append(contentsOf: "null".utf8)
        }
        member.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private static func withBytes<Result>(of id: RequestID, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch id {
        case .number(let number):
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: JSONText.maximumDigits) { buffer in
                let start = JSONText.writeDigits(number, endingAt: buffer)
                return body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[start...]))
            }
        case .string(let text):
            var bytes: [UInt8] = []
            JSONText.writeString(text, into: &bytes)
            return bytes.withUnsafeBytes(body)
        }
    }
}

extension RawJSON {
    /// Whether the value is an array or an object, as `params` must be (JSON-RPC 2.0 §4.2).
    package var isStructured: Bool { bytes.first == UInt8(ascii: "[") || bytes.first == UInt8(ascii: "{") }
}

extension ErrorObject {
    package func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"code":"#.utf8)
        JSONText.writeInteger(Int64(code.rawValue), into: &bytes)
        bytes.append(contentsOf: #","message":"#.utf8)
        JSONText.writeString(message, into: &bytes)
        if let data {
            bytes.append(contentsOf: #","data":"#.utf8)
            bytes.append(contentsOf: data.bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

/// A short text that is composed on the stack and appended to an array at once. Appending each piece by itself costs
/// several times as much.
private struct StackText {
    /// Swift allocates at most this many bytes on the stack.
    static let maximumBytes = 1024

    private let buffer: UnsafeMutableRawBufferPointer
    private var count = 0

    /// Appends the text that `write` writes: at most `capacity` bytes.
    @inline(__always)
    static func append(upTo capacity: Int, to bytes: inout [UInt8], _ write: (inout StackText) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { buffer in
            var text = StackText(buffer: buffer)
            write(&text)
            if bytes.isEmpty { bytes.reserveCapacity(text.count) }
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<text.count]))
        }
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        buffer[count] = byte
        count += 1
    }
}
