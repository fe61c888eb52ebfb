// swift-jsonrpc · SPDX-License-Identifier: MIT

extension WireJSONDecoder {
    /// Decodes the elements of a large array, or values one after another, as their bytes come.
    ///
    /// Lines of NDJSON are framed as ``JSONElementSplitter/Framing/lines``. No more is kept in memory than one piece and
    /// one value. The sequence ends with the pieces; it throws a
    /// ``JSONStreamError`` for what is not JSON or too large, a `DecodingError` for a value of the wrong shape, and what
    /// `pieces` throws.
    ///
    /// - Parameters:
    ///   - type: what each value is.
    ///   - pieces: the text, cut anywhere.
    ///   - framing: how the values lie in the text.
    ///   - maximumValueSize: the size in bytes beyond which one value is refused.
    public func elements<T: Decodable, Pieces: AsyncSequence>(
        of type: T.Type, in pieces: Pieces, framing: JSONElementSplitter.Framing, maximumValueSize: Int = 64 << 20
    ) -> DecodedElements<T, Pieces> where Pieces.Element: Sequence<UInt8> {
        DecodedElements(
            decoder: self, pieces: pieces,
            splitter: JSONElementSplitter(framing: framing, limits: limits, maximumValueSize: maximumValueSize))
    }
}

/// The values of a text that comes in pieces: see ``WireJSONDecoder/elements(of:in:framing:maximumValueSize:)``.
public struct DecodedElements<Element: Decodable, Pieces: AsyncSequence>: AsyncSequence
where Pieces.Element: Sequence<UInt8> {
    let decoder: WireJSONDecoder
    let pieces: Pieces
    let splitter: JSONElementSplitter

    public func makeAsyncIterator() -> Iterator {
        Iterator(decoder: decoder, pieces: pieces.makeAsyncIterator(), splitter: splitter)
    }

    /// Reads pieces until they complete a value.
    public struct Iterator: AsyncIteratorProtocol {
        let decoder: WireJSONDecoder
        var pieces: Pieces.AsyncIterator
        var splitter: JSONElementSplitter
        /// Values which came with one piece, the next one last.
        var ready: [RawJSON] = []
        var isFinished = false

        /// The fault that comes after the values which are ready.
        private var failure: (any Error)?

        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> Element? {
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

        init(decoder: WireJSONDecoder, pieces: Pieces.AsyncIterator, splitter: JSONElementSplitter) {
            self.decoder = decoder
            self.pieces = pieces
            self.splitter = splitter
        }
    }
}
