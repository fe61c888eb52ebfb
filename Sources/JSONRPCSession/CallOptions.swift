// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// How long a call may take, the time it waits to be sent included.
///
/// `nil` stands for no limit: `call("m", timeout: nil)`.
public struct CallTimeout: Sendable, Hashable, ExpressibleByNilLiteral {
    enum Kind: Sendable, Hashable {
        case configured
        case none
        case after(Duration)
    }

    let kind: Kind

    /// What ``SessionConfiguration/callTimeout`` says: 60 seconds, unless it was changed.
    public static let `default` = CallTimeout(kind: .configured)
    /// No limit.
    public static let none = CallTimeout(kind: .none)

    /// A limit. One of zero or less lets a call fail as soon as the timer runs.
    public static func after(_ duration: Duration) -> CallTimeout { CallTimeout(kind: .after(duration)) }

    public static func seconds(_ seconds: Int) -> CallTimeout { .after(.seconds(seconds)) }

    /// A limit; none for infinity, and for more than 292 years.
    public static func seconds(_ seconds: Double) -> CallTimeout {
        if seconds > 9.2e9 { return .none }
        return .after(seconds > 0 ? .seconds(seconds) : .zero)
    }

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

/// What a call or notification may carry beside its params.
public struct CallOptions: Sendable, Hashable {
    /// Members beside `params`, in addition to those in ``SessionConfiguration/extraMembers``.
    public var extraMembers = ExtraMembers()
    /// True when the peer may safely get the request twice. Policies that send calls again look at it.
    public var isIdempotent = false

    public init() {}

    public init(extraMembers: ExtraMembers, isIdempotent: Bool = false) {
        self.extraMembers = extraMembers
        self.isIdempotent = isIdempotent
    }
}
