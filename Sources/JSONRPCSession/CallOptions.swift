// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore

/// The time limit of a whole call, including the time it waits to be sent.
///
/// `nil` stands for no limit: `call("m", timeout: nil)`.
public struct CallTimeout: Sendable, Hashable, ExpressibleByNilLiteral {
    enum Kind: Sendable, Hashable {
        case configured
        case none
        case after(Duration)
    }

    let kind: Kind

    /// The limit in ``SessionConfiguration/callTimeout``, whose default is 60 seconds.
    public static let `default` = CallTimeout(kind: .configured)
    /// No limit.
    public static let none = CallTimeout(kind: .none)

    /// Returns a limit. With zero or less, a call fails as soon as the timer runs.
    public static func after(_ duration: Duration) -> CallTimeout { CallTimeout(kind: .after(duration)) }

    /// Returns a limit in seconds.
    public static func seconds(_ seconds: Int) -> CallTimeout { .after(.seconds(seconds)) }

    /// Returns a limit in seconds. Infinity and more than 292 years stand for no limit.
    public static func seconds(_ seconds: Double) -> CallTimeout {
        if seconds > 9.2e9 { return .none }
        return .after(seconds > 0 ? .seconds(seconds) : .zero)
    }

    /// Returns a limit in milliseconds.
    public static func milliseconds(_ milliseconds: Int) -> CallTimeout { .after(.milliseconds(milliseconds)) }

    private init(kind: Kind) { self.kind = kind }

    /// Makes ``none``.
    public init(nilLiteral: ()) { self = .none }

    /// Returns the limit; `configured` is the value in the configuration.
    package func duration(configured: Duration?) -> Duration? {
        switch kind {
        case .configured: configured
        case .none: nil
        case .after(let duration): duration
        }
    }
}

/// Options of a call or a notification.
public struct CallOptions: Sendable, Hashable {
    /// Members beside `params`, in addition to ``SessionConfiguration/extraMembers``. The default is none.
    public var extraMembers = ExtraMembers()
    /// Whether the request can safely be executed twice. A client that reconnects sends such a call again if the
    /// connection is lost: see ``ReconnectPolicy/maximumRepetitions``. Interceptors that retry calls should check it.
    /// The default is `false`.
    public var isIdempotent = false
    /// The number of times that a client that reconnects may repeat this call, in place of
    /// ``ReconnectPolicy/maximumRepetitions``. With 0, it is sent again only if it certainly was not sent before. It has
    /// no effect unless ``isIdempotent`` is set. The default is `nil`: as the policy says.
    public var maximumRepetitions: Int?
    /// An observer of the call, beside its task.
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
