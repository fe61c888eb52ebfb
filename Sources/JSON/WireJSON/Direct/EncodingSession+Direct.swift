// swift-jsonrpc · SPDX-License-Identifier: MIT

extension EncodingSession {
    /// After this number of paths, each found by a scan of the text, `Codable` is faster, because it records the path.
    static var writtenPathLimit: Int { 16 }

    typealias KnownFacts = KnownTypes<any JSONEncodableCollection.Type>.Facts

    @inline(__always)
    func known<T>(_ type: T.Type) -> KnownFacts {
        types.find(type, { type as? any JSONEncodableCollection.Type }, direct: { AnyDirectCoding(writing: type) })
    }

    /// Writes the whole text without `Codable`. It returns false, and writes nothing, if `Codable` must write the text.
    @inline(__always)
    func writeRootDirectly<T>(_ value: T) -> Bool {
        guard unsafe state.pointee.writesDirectly, let direct = known(T.self).direct else { return false }
        return writeDirectly(value, as: direct, slot: 0)
    }

    /// Writes a value at the end of the text. It returns false, and writes nothing, if `Codable` must write the value.
    @inline(never)
    func writeDirectly<T>(_ value: T, as direct: AnyDirectCoding, step: Step, parent: UInt32) -> Bool {
        guard unsafe state.pointee.writesDirectly else { return false }
        var slot = parent
        let slots = records.count
        if case .none = step {} else { slot = newValue(step, in: parent, at: output.count).slot }
        defer { if records.count > slots { dropRecords(to: slots) } }
        return writeDirectly(value, as: direct, slot: slot)
    }

    @inline(__always)
    private func writeDirectly<T>(_ value: T, as direct: AnyDirectCoding, slot: UInt32) -> Bool {
        let (start, slots, depth) = (output.count, records.count, open.count)
        var writer = JSONWriter(self, slot: slot)
        do throws(JSONFallback) {
            try direct.write(value, to: &writer)
            return true
        } catch {
            unsafe state.pointee.writesDirectly = false
            close(to: depth)
            dropRecords(to: slots)
            output.truncate(to: start)
            return false
        }
    }

    /// The path from the value that begins at `start` to the one that begins at `end`, the end of the text.
    func writtenPath(from start: Int, to end: Int) -> [any CodingKey] {
        unsafe state.pointee.writtenPaths += 1
        guard let scanner = unsafe JSONScanner(UnsafeRawBufferPointer(output.text), limits: JSONLimits()) else {
            return []
        }
        return scanner.path(from: start, to: end)
    }
}
