// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Puts messages together from the pieces in which lws hands them over (RFC 6455 §5.4).
///
/// A piece is a whole frame or a part of one. A message which comes in one piece is never copied.
struct MessageAssembler {
    private let maximumMessageBytes: Int
    private var buffer: [UInt8] = []
    private var isAssembling = false

    init(maximumMessageBytes: Int) {
        self.maximumMessageBytes = maximumMessageBytes
    }

    /// What to do after a piece.
    enum PieceAction {
        /// The piece is the whole message: deliver it where it lies.
        case deliverPiece
        /// The message is complete.
        case deliver([UInt8])
        /// The message is larger than allowed: fail the connection (1009).
        case fail
        case wait
    }

    /// Takes a piece.
    /// - Parameters:
    ///   - isLast: It is the last piece of the message's last frame.
    ///   - remaining: The bytes of its frame that are still to come.
    @unsafe mutating func pieceReceived(
        _ piece: UnsafeRawBufferPointer, isLast: Bool, remaining: Int
    ) -> PieceAction {
        let (size, overflow) = (buffer.count + piece.count).addingReportingOverflow(max(remaining, 0))
        guard !overflow, size <= maximumMessageBytes else {
            buffer = []
            isAssembling = false
            return .fail
        }
        if isLast, !isAssembling { return .deliverPiece }
        if !isAssembling {
            isAssembling = true
            // The frame's length is known, so an unfragmented message takes just its size. What a peer announces and
            // does not send costs address space only: the memory is not touched.
            buffer.reserveCapacity(size)
        }
        unsafe buffer.append(contentsOf: piece)
        guard isLast else { return .wait }
        isAssembling = false
        defer { buffer = [] }
        return .deliver(buffer)
    }
}
