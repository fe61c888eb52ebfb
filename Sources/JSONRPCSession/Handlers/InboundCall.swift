// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// A request or notification of the peer, as its handler gets it.
public struct InboundCall: Sendable {
    public let method: String
    /// The request's id, for logs. Nil for a notification, and for an id that is neither an integer nor a string.
    public let id: RequestID?
    /// True when there is nothing to answer.
    public let isNotification: Bool

    /// The message's bytes; ``params`` and ``message`` are made of them when they are asked for.
    let kept: KeptMessage
    private let paramsRange: Range<Int>?
    private let driver: SessionDriver

    init(
        method: String, params: Range<Int>?, id: RequestID?, isNotification: Bool, kept: KeptMessage,
        driver: SessionDriver
    ) {
        self.method = method
        self.id = id
        self.isNotification = isNotification
        self.kept = kept
        paramsRange = params
        self.driver = driver
    }

    /// An array or an object; nil for none.
    public var params: RawJSON? { paramsRange.map(kept.json) }

    /// The params, to be kept: in storage of their own where the message is much larger.
    var paramsToKeep: RawJSON? {
        guard let paramsRange else { return nil }
        let isMost = paramsRange.count >= kept.bytes.count / 2
        return isMost ? kept.json(paramsRange) : RawJSON(unchecked: Array(kept.slice(paramsRange)))
    }

    /// What its session encodes and decodes with.
    public var coder: any MessageCoder { driver.coder }

    /// The whole message.
    public var message: RawJSON { kept.json }

    /// Where it came from: to call back, also while this call is being served.
    public var session: DuplexSession { DuplexSession(driver) }

    /// The members of the message that do not belong to JSON-RPC, such as `sessionId`. Of one that comes twice, the
    /// last.
    public var extraMembers: ExtraMembers { kept.hasExtraMembers ? ExtraMembers(of: message) : ExtraMembers() }

    /// A member of the message beside `params`, such as `sessionId`. Of one that comes twice, the last.
    public func member(_ name: String) -> RawJSON? {
        // The message was found valid when it came.
        guard let members = try? message.members() else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// Publishes a ``SessionEvent/handlerFailed(method:_:)`` for this call.
    package func reportFailure(_ error: any Error) {
        driver.parts.events.publish(.handlerFailed(method: method, error))
    }

    /// Decodes the params.
    ///
    /// - Throws: for a request an `ErrorObject` with the code `ErrorCode.invalidParams`, which a handler can let
    ///   through; what was wrong is then a ``SessionEvent/handlerFailed(method:_:)``, and part of the message if
    ///   ``SessionConfiguration/revealsHandlerErrors`` is true. For a notification what decoding throws.
    public func decodeParams<P: Decodable>(as type: P.Type = P.self) throws -> P {
        do {
            if let paramsRange { return try coder.decode(type, from: kept.json(paramsRange)) }
            return try InboundNotification(method: method, params: nil).params(as: type, using: coder)
        } catch {
            if isNotification { throw error }
            reportFailure(error)
            guard driver.configuration.revealsHandlerErrors else { throw ErrorObject(.invalidParams) }
            throw ErrorObject(code: .invalidParams, message: "Invalid params: \(error)")
        }
    }
}

/// The bytes of one message of the peer's, to keep. Ranges are those of the message as it came, of which this may be a
/// member.
struct KeptMessage: Sendable {
    /// All that is kept: the message as it came, or this member alone.
    private(set) var bytes: [UInt8]
    /// Where the first of ``bytes`` lies in the message as it came.
    private var offset = 0
    let range: Range<Int>
    let isBinary: Bool
    let hasExtraMembers: Bool

    init(_ message: ArrivedMessage, _ envelope: MessageEnvelope) {
        bytes = message.kept()
        range = envelope.range
        isBinary = message.isBinary
        hasExtraMembers = envelope.hasExtraMembers
    }

    var json: RawJSON { json(range) }

    func json(_ range: Range<Int>) -> RawJSON { RawJSON(unchecked: slice(range)) }

    func slice(_ range: Range<Int>) -> ArraySlice<UInt8> {
        bytes[(range.lowerBound - offset)..<(range.upperBound - offset)]
    }

    /// The same in storage of its own, where it is but a part of what is kept: a call must not hold the whole array
    /// that it came in.
    func detached() -> KeptMessage {
        guard range.count < bytes.count / 2 else { return self }
        var detached = self
        detached.bytes = Array(slice(range))
        detached.offset = range.lowerBound
        return detached
    }
}
