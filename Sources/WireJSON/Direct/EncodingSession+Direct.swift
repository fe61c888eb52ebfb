// swift-jsonrpc · SPDX-License-Identifier: MIT

extension EncodingSession {
    /// Writes a value at the end of the text without `Codable`. It returns false, and has written nothing, if `Codable` has
    /// to do it.
    @inline(never)
    func writeDirectly<T>(_ value: T, as direct: any JSONWritable.Type, step: Step, parent: UInt32) -> Bool {
        guard unsafe state.pointee.writesDirectly else { return false }
        let (start, slots, depth) = (output.count, records.count, open.count)
        var slot = parent
        if case .none = step {} else { slot = newValue(step, in: parent, at: start).slot }
        var writer = JSONWriter(self, slot: slot)
        do throws(JSONFallback) {
            // The directly writable type found for a type is that type.
            try unsafe withUnsafeBytes(of: value) { memory throws(JSONFallback) in
                try unsafe direct.write(memory, to: &writer)
            }
        } catch {
            unsafe state.pointee.writesDirectly = false
            close(to: depth)
            dropRecords(to: slots)
            output.truncate(to: start)
            return false
        }
        if records.count > slots { dropRecords(to: slots) }
        return true
    }

    /// The path from a value that begins at an offset to the one that begins at the other, at the end of the text then.
    func writtenPath(from start: Int, to end: Int) -> [any CodingKey] {
        guard end <= output.count,
            var scanner = unsafe JSONScanner(
                UnsafeRawBufferPointer(rebasing: output.text[..<end]), limits: JSONLimits())
        else { return [] }
        scanner.maximumDepth = .max
        return scanner.path(from: start, to: end)
    }
}
