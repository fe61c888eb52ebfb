// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore

/// Options of a call or a notification.
public struct CallOptions: Sendable, Hashable {
    /// Members beside `params`, in addition to ``SessionConfiguration/Calls/extraMembers``. The default is none.
    public var extraMembers = ExtraMembers()
    /// Whether the request can safely be executed twice. A client that reconnects sends such a call again if the
    /// connection is lost: see ``ReconnectPolicy/maximumRepetitions``. Interceptors that retry calls should check it.
    /// The default is `false`.
    public var isIdempotent = false
    /// The number of times that a client that reconnects may repeat this call, in place of
    /// ``ReconnectPolicy/maximumRepetitions``. With 0, it is sent again only if it certainly was not sent before. It
    /// has no effect unless ``isIdempotent`` is set. The default is `nil`: the policy applies.
    public var maximumRepetitions: Int?
    var watch: CallWatch?

    /// Makes options for a call whose end is observed in order with the peer's notifications: see ``CallEndObserver``.
    package init(extraMembers: ExtraMembers, whenEnded: @escaping @Sendable () -> Void) {
        self.init(extraMembers: extraMembers)
        watch = .end(CallEndObserver(whenEnded))
    }

    /// Makes the default options.
    public init() {}
    /// Makes options.
    public init(
        extraMembers: ExtraMembers = ExtraMembers(), isIdempotent: Bool = false, maximumRepetitions: Int? = nil
    ) {
        self.extraMembers = extraMembers
        self.isIdempotent = isIdempotent
        self.maximumRepetitions = maximumRepetitions
    }
}
