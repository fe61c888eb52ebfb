// swift-jsonrpc · SPDX-License-Identifier: MIT

extension WireJSONDecoder {
    /// Returns a sequence that decodes the elements of a large array, or a sequence of values, as their bytes arrive.
    ///
    /// Memory holds one piece and one value at a time. The sequence ends when `pieces` ends. It throws a
    /// ``JSONElementSplitter/Failure`` if the text is not JSON or a value is too large, a `DecodingError` if a value
    /// does not fit the type, and the errors of `pieces`.
    ///
    /// - Parameters:
    ///   - type: The type of each value.
    ///   - pieces: The text in pieces, which may end anywhere.
    ///   - framing: The arrangement of the values, such as ``JSONElementSplitter/Framing/lines`` for NDJSON.
    ///   - maximumValueSize: The largest size of one value, in bytes. The default is 64 MiB.
    public func elements<T: Decodable, Pieces: AsyncSequence>(
        of type: T.Type, in pieces: Pieces, framing: JSONElementSplitter.Framing, maximumValueSize: Int = 64 << 20
    ) -> WireJSONDecoder.DecodedElements<T, Pieces> where Pieces.Element: Sequence<UInt8> {
        WireJSONDecoder.DecodedElements(
            decoder: self, pieces: pieces,
            splitter: JSONElementSplitter(framing: framing, limits: limits, maximumValueSize: maximumValueSize))
    }
}

extension WireJSONDecoder {
    /// The sequence that ``WireJSONDecoder/elements(of:in:framing:maximumValueSize:)`` returns.
    public struct DecodedElements<Element: Decodable, Pieces: AsyncSequence>: AsyncSequence
    where Pieces.Element: Sequence<UInt8> {
        let decoder: WireJSONDecoder
        let pieces: Pieces
        let splitter: JSONElementSplitter

        public func makeAsyncIterator() -> Iterator {
            Iterator(decoder: decoder, pieces: pieces.makeAsyncIterator(), splitter: splitter)
        }

        /// The iterator of a ``WireJSONDecoder/DecodedElements`` sequence.
        public struct Iterator: AsyncIteratorProtocol {
            let decoder: WireJSONDecoder
            var pieces: Pieces.AsyncIterator
            var splitter: JSONElementSplitter
            /// The values of one piece that were not returned yet, in reverse order.
            var ready: [RawJSON] = []
            var isFinished = false
            /// The fault that follows the values in `ready`.
            var failure: (any Error)?

            /// Decodes the next value, and waits for pieces if no value is complete. It returns `nil` at the end.
            public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
                while true {
                    if let value = ready.popLast() { return try decoder.decode(Element.self, from: value) }
                    if let failure = failure.take() { throw failure }
                    if isFinished { return nil }
                    var values: [RawJSON] = []
                    do {
                        if let piece = try await pieces.next(isolation: actor) {
                            try splitter.append(piece) { values.append($0) }
                        } else {
                            isFinished = true
                            try splitter.finish { values.append($0) }
                        }
                    } catch {
                        isFinished = true
                        failure = error
                    }
                    ready = values.reversed()
                }
            }
        }
    }
}
