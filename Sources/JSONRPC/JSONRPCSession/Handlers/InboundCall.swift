// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// A request or a notification from the peer, for its handler.
public struct InboundCall: Sendable {
    /// The name of the method.
    public let method: String
    /// The id of the request, for logs. `nil` for a notification, and for an id that is neither an integer nor a
    /// string.
    public let id: RequestID?
    /// Whether this is a notification, which gets no answer.
    public let isNotification: Bool

    /// The stored bytes: the whole message from the peer, or only this member of an array. ``params`` and ``message``
    /// are made from them on demand.
    let bytes: [UInt8]
    private let range: Range<Int>
    private let paramsRange: Range<Int>?
    private let hasExtraMembers: Bool
    private let driver: SessionDriver

    /// Makes a call that is stored, without the rest of its array.
    init(_ call: CallReading, _ message: ArrivedMessage, _ driver: SessionDriver) {
        method = call.method
        id = call.id
        isNotification = call.echo == nil
        // A call must not keep its whole array alive.
        let whole = call.range
        let isShared = StoredPart.sharesWell(whole.count, of: message.bytes.count)
        bytes = isShared ? message.kept() : [UInt8](UnsafeRawBufferPointer(rebasing: message.bytes[whole]))
        let start = isShared ? 0 : whole.lowerBound
        range = (whole.lowerBound - start)..<(whole.upperBound - start)
        paramsRange = call.params.map { ($0.lowerBound - start)..<($0.upperBound - start) }
        hasExtraMembers = call.hasExtraMembers
        self.driver = driver
    }

    /// An array or an object; `nil` for no params.
    public var params: RawJSON? { paramsRange.map { RawJSON(unchecked: bytes[$0]) } }

    /// The params for storing. They are copied if the message is larger.
    var paramsToKeep: RawJSON? { paramsRange.map { RawJSON(unchecked: bytes[$0].detached(from: bytes.count)) } }

    /// The bytes that count against a limit: those of the message, the method and the id.
    var heldBytes: Int { bytes.capacity + method.utf8.count + (id?.heldBytes ?? 0) }

    /// The coder of the session.
    public var coder: any MessageCoder { driver.coder }

    /// The whole message.
    public var message: RawJSON { RawJSON(unchecked: bytes[range]) }

    /// The session that received the call. A handler can use it to call the peer back.
    public var session: DuplexSession { DuplexSession(driver) }

    /// The members of the message that are not JSON-RPC's own, such as `sessionId`. If a member is repeated, the last
    /// one wins.
    public var extraMembers: ExtraMembers { hasExtraMembers ? ExtraMembers(of: message) : ExtraMembers() }

    /// Returns a member of the message, such as `sessionId`; `nil` if there is none. If a member is repeated, the last
    /// one wins.
    public func member(_ name: String) -> RawJSON? { message.member(name) }

    /// Publishes a ``SessionEvent/handlerFailed(method:_:)`` event for this call.
    package func reportFailure(_ error: any Error) {
        driver.endpoint.events.publish(.handlerFailed(method: method, error))
    }

    /// Decodes the params.
    ///
    /// - Throws: For a request, an `ErrorObject` with the code `ErrorObject.Code.invalidParams`, which the handler can
    ///   rethrow. The decoding error is reported as ``SessionEvent/handlerFailed(method:_:)``, and is part of the
    ///   message if ``SessionConfiguration/Inbound/revealsHandlerErrors`` is `true`. For a notification, the decoding
    ///   error.
    public func decodeParams<P: Decodable>(as type: P.Type = P.self) throws -> P {
        do {
            if let params { return try coder.decode(type, from: params) }
            return try InboundNotification(method: method, params: nil).params(as: type, using: coder)
        } catch {
            if isNotification { throw error }
            reportFailure(error)
            guard driver.configuration.inbound.revealsHandlerErrors else { throw ErrorObject(.invalidParams) }
            throw ErrorObject(code: .invalidParams, message: "Invalid params: \(error)")
        }
    }
}

extension CallReading {
    /// Makes a call from a regular message, without the reader's checks. Returns `nil` for other messages, and for a
    /// method that cannot be read.
    @inline(__always)
    init?(_ message: RegularMessage?, _ envelope: MessageEnvelope, in bytes: UnsafeRawBufferPointer) {
        let name: Range<Int>
        let params: Range<Int>?
        let id: RequestID?
        let echo: EchoedID?
        switch message {
        case .request(let number, let method, let range):
            (name, params, id, echo) = (method, range, .number(number), .number(number))
        case .notification(let method, let range): (name, params, id, echo) = (method, range, nil, nil)
        case .response, nil: return nil
        }
        guard let method = try? StringContent.string(in: bytes, range: name, isEscaped: false) else { return nil }
        self.init(
            method: method, params: params, id: id, echo: echo, range: envelope.range, hasExtraMembers: false,
            violation: nil, reported: IrregularitySet(), closesConnection: false)
    }
}
