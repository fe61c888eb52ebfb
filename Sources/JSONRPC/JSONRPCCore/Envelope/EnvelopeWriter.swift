// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

/// Writes messages around values that are encoded already.
///
/// A request is written in two steps, since its id is known last: everything behind the id (the *tail*) in the
/// caller's task, then, in the session's critical section, three pieces, of which only the id's digits are made there.
///
/// ```
/// {"jsonrpc":"2.0","id":   7   ,"method":"subtract","params":[42,23]}
/// └──── head ───────────┘ └id┘ └──────────────── tail ─────────────┘
/// ```
package struct EnvelopeWriter: Sendable {
    package let version: VersionMember.Outbound
    /// From the opening brace to where the id goes.
    package let requestHead: [UInt8]
    /// From the opening brace to the first member after the version.
    private let open: [UInt8]

    package init(version: VersionMember.Outbound) {
        self.version = version
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

    /// Everything of a request behind its id. `params` is an array, an object, or nil for none.
    package func requestTail(method: String, params: RawJSON?, extra: ExtraMembers = ExtraMembers()) -> [UInt8] {
        var tail: [UInt8] = []
        appendRequestTail(method: method, params: params, extra: extra, to: &tail)
        return tail
    }

    /// Appends everything of a request behind its id.
    ///
    /// - Parameter encode: Appends the params: an array or an object, or `null` for none.
    /// - Throws: A ``ClientError`` with the code ``ClientError/Code/encodingFailed``. Nothing is appended then.
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
        if appendPlainBeginning(method, to: &bytes) { return }
        bytes.append(UInt8(ascii: ","))
        bytes.append(contentsOf: #""method":"#.utf8)
        JSONText.writeString(method, into: &bytes)
        bytes.append(contentsOf: #","params":"#.utf8)
    }

    /// Appends the end of a request's tail.
    package func endTail(extra: ExtraMembers = ExtraMembers(), to bytes: inout [UInt8]) { close(extra, &bytes) }

    /// Appends everything of a request behind its id. `params` is an array, an object, or nil for none.
    package func appendRequestTail(
        method: String, params: RawJSON?, extra: ExtraMembers = ExtraMembers(), to bytes: inout [UInt8]
    ) {
        if appendPlainTail(method, params, extra, to: &bytes) { return }
        let size = 32 + method.utf8.count + (params?.bytes.count ?? 0) + extra.bytes.count
        if bytes.isEmpty { bytes.reserveCapacity(size) }
        bytes.append(UInt8(ascii: ","))
        appendCall(method: method, params: params, extra: extra, to: &bytes)
    }

    /// Appends the tail of a short request whose method needs no escape, put together on the stack: nearly every call
    /// goes through it. False for another.
    private func appendPlainTail(
        _ method: String, _ params: RawJSON?, _ extra: ExtraMembers, to bytes: inout [UInt8]
    ) -> Bool {
        withPlainTail(method, params, extra) { tail in
            if bytes.isEmpty { bytes.reserveCapacity(tail.count) }
            bytes.append(contentsOf: tail)
        }
    }

    /// Passes the tail of a request to a closure. It is on the stack if it is short.
    package func withRequestTail(
        method: String, params: RawJSON?, extra: ExtraMembers, _ body: (RequestTail) -> Void
    ) {
        if withPlainTail(method, params, extra, { body(.borrowed($0)) }) { return }
        body(.owned(requestTail(method: method, params: params, extra: extra)[...]))
    }

    /// Puts the tail of a short request whose method needs no escape together on the stack. False for another.
    @inline(__always)
    private func withPlainTail(
        _ method: String, _ params: RawJSON?, _ extra: ExtraMembers, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        var method = method
        return method.withUTF8 { method in
            // For both the longer of what may stand there.
            let frame = Self.tailStart.utf8CodeUnitCount + Self.tailParams.utf8CodeUnitCount + 1
            let capacity = frame + method.count + (params?.bytes.count ?? 0) + extra.bytes.count
            guard capacity <= StackText.maximumBytes, JSONText.needsNoEscape(method) else { return false }
            StackText.with(upTo: capacity) { text in
                text.append(Self.tailStart)
                text.append(UnsafeRawBufferPointer(method))
                if let params {
                    text.append(Self.tailParams)
                    params.bytes.withUnsafeBytes { text.append($0) }
                } else {
                    text.append(Self.tailEnd)
                }
                if !extra.isEmpty { extra.bytes.withUnsafeBytes { text.append($0) } }
                text.append(UInt8(ascii: "}"))
            } body: {
                body($0)
            }
            return true
        }
    }

    /// Appends a tail's beginning, put together on the stack, if the method is short and needs no escape. False for another.
    private func appendPlainBeginning(_ method: String, to bytes: inout [UInt8]) -> Bool {
        var method = method
        return method.withUTF8 { method in
            let capacity = Self.tailStart.utf8CodeUnitCount + method.count + Self.tailParams.utf8CodeUnitCount
            guard capacity <= StackText.maximumBytes, JSONText.needsNoEscape(method) else { return false }
            StackText.append(upTo: capacity, to: &bytes) { text in
                text.append(Self.tailStart)
                text.append(UnsafeRawBufferPointer(method))
                text.append(Self.tailParams)
            }
            return true
        }
    }

    private static var tailStart: StaticString { #","method":""# }
    private static var tailParams: StaticString { #"","params":"# }
    private static var tailEnd: StaticString { #"""# }

    /// Appends a whole request.
    package func appendRequest(id: RequestID, tail: [UInt8], to bytes: inout [UInt8]) {
        tail.withUnsafeBytes { appendRequest(id: id, tail: $0, to: &bytes) }
    }

    /// Appends a whole request.
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

    /// Appends a whole notification.
    package func appendNotification(
        method: String, params: RawJSON?, extra: ExtraMembers = ExtraMembers(), to bytes: inout [UInt8]
    ) {
        bytes.append(contentsOf: open)
        appendCall(method: method, params: params, extra: extra, to: &bytes)
    }

    // MARK: Responses

    /// Appends what stands before the result of a response to a request with this id. The result follows, then
    /// ``endResponse(_:)``.
    package func beginResponse(id: Int64, _ bytes: inout [UInt8]) {
        bytes.append(contentsOf: requestHead)
        JSONText.writeInteger(id, into: &bytes)
        Self.resultName.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// The same for an id that is given byte for byte.
    package func beginResponse(id: RawJSON, _ bytes: inout [UInt8]) {
        appendAnswer(id: id, member: Self.resultName, to: &bytes)
    }

    package func endResponse(_ bytes: inout [UInt8]) { bytes.append(UInt8(ascii: "}")) }

    private static var resultName: StaticString { #","result":"# }

    /// Appends an error response. `id` is the request's id, byte for byte, or nil for `null`, where the request
    /// could not be read so far.
    package func appendErrorResponse(
        id: RawJSON?, error: ErrorObject, extra: ExtraMembers = ExtraMembers(), to bytes: inout [UInt8]
    ) {
        appendAnswer(id: id, member: #","error":"#, to: &bytes)
        error.append(to: &bytes)
        close(extra, &bytes)
    }

    // MARK: Parts

    private func appendCall(method: String, params: RawJSON?, extra: ExtraMembers, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #""method":"#.utf8)
        JSONText.writeString(method, into: &bytes)
        if let params {
            bytes.append(contentsOf: #","params":"#.utf8)
            bytes.append(contentsOf: params.bytes)
        }
        close(extra, &bytes)
    }

    private func appendAnswer(id: RawJSON?, member: StaticString, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: requestHead)
        if let id { bytes.append(contentsOf: id.bytes) } else { bytes.append(contentsOf: "null".utf8) }
        member.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private func close(_ extra: ExtraMembers, _ bytes: inout [UInt8]) {
        bytes.append(contentsOf: extra.bytes)
        bytes.append(UInt8(ascii: "}"))
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
    /// True for an array and for an object: what `params` may be (JSON-RPC 2.0 §4.2).
    package var isStructured: Bool { bytes.first == UInt8(ascii: "[") || bytes.first == UInt8(ascii: "{") }
}

extension ErrorObject {
    /// Appends the object as JSON.
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

/// Everything of a request behind its id.
package enum RequestTail {
    /// Bytes that are valid during the call only.
    case borrowed(UnsafeRawBufferPointer)
    /// Bytes that can be kept.
    case owned(ArraySlice<UInt8>)

    package var count: Int {
        switch self {
        case .borrowed(let bytes): bytes.count
        case .owned(let bytes): bytes.count
        }
    }

    /// The bytes, which can be kept.
    package var kept: ArraySlice<UInt8> {
        switch self {
        case .borrowed(let bytes): [UInt8](bytes)[...]
        case .owned(let bytes): bytes
        }
    }
}
