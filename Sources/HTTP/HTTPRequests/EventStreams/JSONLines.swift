// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// The values of a stream that has one JSON value in each line (NDJSON, JSON Lines).
///
/// The stream is read on demand, so a slow consumer slows the server. Blank lines are skipped, but counted. A stream
/// can be read once.
public struct JSONLines<Element: Decodable>: AsyncSequence, Sendable {
    /// The reaction to a line that is not JSON or does not fit the type.
    public enum InvalidLinePolicy: Sendable {
        /// The sequence throws a ``JSONLineError`` and ends.
        case stop
        /// The closure is called, and the sequence goes on with the next line.
        case skip(@Sendable (JSONLineError) -> Void)
    }

    private let lines: HTTPLines
    private let decoder: WireJSONDecoder
    private let policy: InvalidLinePolicy

    /// Makes a sequence of values.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - stream: The stream.
    ///   - decoder: The decoder of the values.
    ///   - maximumLineBytes: The largest size of a line, without its line break. The default is 1 MiB.
    ///   - policy: The reaction to a line that cannot be decoded. The default is ``InvalidLinePolicy/stop``.
    public init(
        of type: Element.Type = Element.self, in stream: HTTPByteStream, decoder: WireJSONDecoder = WireJSONDecoder(),
        maximumLineBytes: Int = 1 << 20, onInvalidLine policy: InvalidLinePolicy = .stop
    ) {
        lines = HTTPLines(stream, maximumLineBytes: maximumLineBytes)
        self.decoder = decoder
        self.policy = policy
    }

    /// Starts reading. Only the first iterator of a stream gets its values.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(lines: lines.makeAsyncIterator(), decoder: decoder, policy: policy)
    }

    /// Reads the values one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var lines: HTTPLines.AsyncIterator?
        fileprivate let decoder: WireJSONDecoder
        fileprivate let policy: InvalidLinePolicy
        fileprivate var number = 0

        /// Returns the next value; `nil` at the end.
        ///
        /// - Throws: A ``JSONLineError`` if a line cannot be decoded and the policy is ``InvalidLinePolicy/stop``; an
        ///   ``HTTPLinesError`` if a line is too long; an error of the stream. An error ends the sequence.
        public mutating func next() async throws -> Element? {
            while let line = try await lines?.nextBytes() {
                number += 1
                if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
                do {
                    return try decoder.decode(Element.self, from: line)
                } catch {
                    let failure = JSONLineError(line: number, text: line, underlying: error)
                    guard case .skip(let report) = policy else {
                        lines = nil
                        throw failure
                    }
                    report(failure)
                }
            }
            return nil
        }
    }
}

/// A line that is not JSON or does not fit the type.
public struct JSONLineError: Error, Sendable {
    /// The number of the line. The first is 1.
    public let line: Int
    /// The beginning of the line, at most 200 bytes.
    public let beginning: [UInt8]
    /// The decoder's error.
    public let underlying: any Error

    init(line: Int, text: ArraySlice<UInt8>, underlying: any Error) {
        self.line = line
        beginning = Array(text.prefix(200))
        self.underlying = underlying
    }
}

extension JSONLineError: CustomStringConvertible {
    /// The line and the decoder's error.
    public var description: String { "Could not decode line \(line): \(underlying)" }
}

extension HTTPByteStream {
    /// Returns the values of a stream that has one JSON value in each line. The default limit for a line is 1 MiB.
    public func jsonLines<Element: Decodable>(
        of type: Element.Type = Element.self, decoder: WireJSONDecoder = WireJSONDecoder(),
        maximumLineBytes: Int = 1 << 20, onInvalidLine policy: JSONLines<Element>.InvalidLinePolicy = .stop
    ) -> JSONLines<Element> {
        JSONLines(in: self, decoder: decoder, maximumLineBytes: maximumLineBytes, onInvalidLine: policy)
    }
}
