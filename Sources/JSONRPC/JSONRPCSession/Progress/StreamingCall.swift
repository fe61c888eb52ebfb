// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A call whose progress, or whose partial results, arrive before its result.
///
/// ```swift
/// let references = try client.streamingCall(
///     "textDocument/references", params: params, style: .partialResult, progress: [Location].self,
///     as: [Location]?.self)
/// for try await element in references {
///     switch element {
///     case .progress(let locations): locations.forEach { print($0.uri) }
///     case .gap(let gap): print("locations are missing here:", gap)
///     case .result(let rest): rest?.forEach { print($0.uri) }
///     }
/// }
/// ```
///
/// The call begins when the value is made. Its progress is buffered within the limits of its ``NotificationOverflow``,
/// and decoded in the consumer's task. Elements are in the order of the wire, and the result is the last. If the call
/// fails, the loop throws the error after the progress that came before. Progress that comes after the response belongs
/// to no call: it is a notification like others.
///
/// The call is cancelled when a task that reads it is cancelled, when ``cancel()`` is called, and when the value and
/// its iterators are released before the response, for example because a loop was left. Then the peer gets the
/// session's ``SessionConfiguration/Calls/cancellationNotice`` or, if there is none, the notice of the
/// ``ProgressStyle``.
///
/// If there are several iterators, each progress goes to one of them, and each iterator gets the result.
public struct StreamingCall<Progress: Sendable, Value: Sendable>: AsyncSequence, Sendable {
    /// An element of a ``StreamingCall``.
    public enum Element: Sendable {
        /// Progress, or a partial result.
        case progress(Progress)
        /// Progress is missing at this place or may be, or it begins anew because the call was sent again.
        case gap(NotificationGap)
        /// The result of the call, the last element.
        case result(Value)
    }

    let stream: NotificationStream<Progress>
    let activity: StreamingActivity
    let decodeResult: @Sendable (RawJSON) throws -> Value

    /// The token in the params of the request.
    public var token: String { activity.route.token }

    /// The result. It can be read any number of times, also by several tasks, and leaves the progress in the buffer.
    ///
    /// If the task is cancelled, the call is cancelled.
    ///
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError`.
    public var result: Value {
        get async throws { try decodeResult(try await activity.result()) }
    }

    /// Passes all progress to a closure, and returns the result. The closure runs in the caller's task.
    ///
    /// Gaps are left out. Use a loop if each progress counts.
    ///
    /// - Throws: The error of the closure, which cancels the call; the errors of the call; a `CancellationError`.
    public func result(onProgress: (Progress) async throws -> Void) async throws -> Value {
        do {
            for try await element in self {
                switch element {
                case .progress(let progress): try await onProgress(progress)
                case .gap: break
                case .result(let value): return value
                }
            }
        } catch {
            cancel()
            throw error
        }
        throw CancellationError()
    }

    /// Cancels the call. Its result throws a `CancellationError`, after the buffered progress. A call that has ended
    /// stays as it is.
    public func cancel() { activity.cancel() }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(call: self, base: stream.makeAsyncIterator()) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        /// `nil` after the last element.
        fileprivate var call: StreamingCall?
        fileprivate var base: NotificationStream<Progress>.AsyncIterator

        /// Returns the next element; `nil` after the result.
        ///
        /// - Throws: The errors of the call; a ``NotificationError``; with ``NotificationDecodingPolicy/fail`` the
        ///   decoding error of a progress; a `CancellationError`. Each ends the iterator.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
            guard let call else { return nil }
            do {
                switch try await base.next(isolation: actor) {
                case .value(let progress): return .progress(progress)
                case .gap(let gap): return .gap(gap)
                case nil:
                    self.call = nil
                    return .result(try await call.result)
                }
            } catch {
                self.call = nil
                if Task.isCancelled { call.cancel() }
                throw error
            }
        }
    }
}

extension StreamingCall.Element: Equatable where Progress: Equatable, Value: Equatable {}
