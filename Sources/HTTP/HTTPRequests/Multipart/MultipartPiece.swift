// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A stretch of a multipart body: bytes in memory, or the content of a part.
enum MultipartPiece: Sendable {
    case bytes([UInt8])
    /// A file or a stream. `length` is the announced length; that of a file was read when the request was built.
    case part(HTTPBodyEntity, length: Int64?)

    init(_ entity: HTTPBodyEntity) throws(HTTPBodyError) {
        switch entity.content {
        case .bytes(let bytes): self = .bytes(bytes)
        case .file(let path): self = .part(entity, length: try FileByteSource.size(ofFileAt: path))
        case .stream(let length, _, _):
            if let length, length < 0 { throw .negativeLength(length) }
            self = .part(entity, length: length)
        }
    }

    private var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .part(_, let length): length
        }
    }

    private var isReplayable: Bool {
        if case .part(let entity, _) = self { entity.isReplayable } else { true }
    }

    static func content(of pieces: [MultipartPiece]) -> HTTPBodyEntity.Content {
        let arrays = pieces.compactMap { if case .bytes(let bytes) = $0 { bytes } else { nil } }
        if arrays.count == pieces.count { return .bytes(Array(arrays.joined())) }
        var total: Int64? = 0
        for piece in pieces {
            guard let sum = total, let length = piece.length else {
                total = nil
                break
            }
            let (next, hasOverflown) = sum.addingReportingOverflow(length)
            total = hasOverflown ? nil : next
        }
        let length = total
        return .stream(length: length, isReplayable: pieces.allSatisfy(\.isReplayable)) {
            HTTPByteStream(MultipartSource(pieces: pieces[...]), length: length)
        }
    }
}

/// Reads the pieces one after the other. A part is opened when it is reached.
private struct MultipartSource: HTTPByteSource {
    var pieces: ArraySlice<MultipartPiece>
    var current: (any HTTPByteSource)?

    mutating func next() async throws -> ArraySlice<UInt8>? {
        try Task.checkCancellation()
        while true {
            if let piece = try await current?.next() { return piece }
            current = nil
            switch pieces.popFirst() {
            case nil: return nil
            case .bytes(let bytes): return bytes[...]
            case .part(let entity, let length):
                current = SequenceByteSource(try await entity.makeStream(), announced: length)
            }
        }
    }
}
