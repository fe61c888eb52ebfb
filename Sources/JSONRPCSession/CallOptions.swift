// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore

/// The limit for a whole call, including the time it waits to be sent.
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

    /// A limit. With zero or less, a call fails as soon as the timer runs.
    public static func after(_ duration: Duration) -> CallTimeout { CallTimeout(kind: .after(duration)) }

    /// A limit in seconds.
    public static func seconds(_ seconds: Int) -> CallTimeout { .after(.seconds(seconds)) }

    /// A limit. Infinity and more than 292 years stand for no limit.
    public static func seconds(_ seconds: Double) -> CallTimeout {
        if seconds > 9.2e9 { return .none }
        return .after(seconds > 0 ? .seconds(seconds) : .zero)
    }

    /// A limit in milliseconds.
    public static func milliseconds(_ milliseconds: Int) -> CallTimeout { .after(.milliseconds(milliseconds)) }

    private init(kind: Kind) { self.kind = kind }

    public init(nilLiteral: ()) { self = .none }

    /// The limit, given what the configuration says.
    func duration(configured: Duration?) -> Duration? {
        switch kind {
        case .configured: configured
        case .none: nil
        case .after(let duration): duration
        }
    }
}

/// Options of a call or a notification.
public struct CallOptions: Sendable, Hashable {
    /// Members beside `params`, in addition to those in ``SessionConfiguration/extraMembers``.
    public var extraMembers = ExtraMembers()
    /// Whether the peer may safely get the request twice. Policies that repeat calls look at it. The default is false.
    public var isIdempotent = false

    public init() {}

    public init(extraMembers: ExtraMembers, isIdempotent: Bool = false) {
        self.extraMembers = extraMembers
        self.isIdempotent = isIdempotent
    }
}
