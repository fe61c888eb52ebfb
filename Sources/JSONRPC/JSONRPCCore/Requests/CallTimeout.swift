// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The time limit of a whole call, including the time it waits to be sent.
///
/// `nil` stands for no limit: `call("m", timeout: nil)`.
public struct CallTimeout: Sendable, Hashable, ExpressibleByNilLiteral {
    private enum Kind: Sendable, Hashable {
        case configured
        case none
        case after(Duration)
    }

    private let kind: Kind

    /// The limit in `SessionConfiguration.calls.timeout`, whose default is 60 seconds.
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

    /// Returns this limit, or another one if this is ``default``.
    package func or(_ other: CallTimeout) -> CallTimeout {
        if case .configured = kind { return other }
        return self
    }

    /// Returns the limit; `configured` is the value in the configuration.
    package func duration(configured: Duration?) -> Duration? {
        switch kind {
        case .configured: configured
        case .none: nil
        case .after(let duration): duration
        }
    }
}
