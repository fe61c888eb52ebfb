// swift-jsonrpc · SPDX-License-Identifier: MIT

/// An owner of a descriptor that reads its stream into the buffer of its thread.
protocol StreamReader: DescriptorOwner {
    var context: LWSContext { get }
    var stream: ByteStream { get }
    var wantsBytes: Bool { get }

    /// Handles bytes in the thread's buffer, which are valid only during the call.
    @unsafe func received(_ bytes: UnsafeMutableRawBufferPointer)
    /// Handles the end of the stream. `fault` is `nil` if the peer has ended its side.
    func streamEnded(_ fault: SocketFault?)
}

extension StreamReader {
    /// Reads as many bytes as fit into the buffer. Returns their number, which is 0 if there are none or if the stream
    /// has ended.
    @discardableResult func readOnce() -> Int {
        switch unsafe stream.read(into: context.readBuffer) {
        case .bytes(let count):
            unsafe received(UnsafeMutableRawBufferPointer(rebasing: context.readBuffer[..<count]))
            return count
        case .blocked: return 0
        case .ended: streamEnded(nil)
        case .failed(let fault): streamEnded(fault)
        }
        return 0
    }

    /// Reads until nothing is left, and then reports the end of the stream.
    func readToEnd(because fault: SocketFault?) {
        while wantsBytes, readOnce() > 0 {}
        if wantsBytes { streamEnded(fault) }
    }
}
