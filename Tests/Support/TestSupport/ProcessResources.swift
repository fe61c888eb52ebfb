// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import HeapSupport

/// The resources of this process, from `/proc` and `malloc`.
public struct ProcessResources: Sendable, CustomStringConvertible {
    public var descriptors: Int
    public var threads: Int
    public var residentBytes: Int
    /// The allocated bytes. Under a sanitizer, which has its own allocator, the value is meaningless.
    public var heapBytes: Int

    public static func current() throws -> ProcessResources {
        try ProcessResources(
            descriptors: entries(in: "/proc/self/fd"), threads: entries(in: "/proc/self/task"),
            residentBytes: residentPages() * Int(getpagesize()), heapBytes: Int(heap_live_bytes()))
    }

    public var description: String {
        "\(descriptors) descriptors, \(threads) threads, \(heapBytes >> 10) KiB allocated, "
            + "\(residentBytes >> 10) KiB resident"
    }

    /// The growth of the heap by `body`. Memory may be freed late by others, and nothing reports that. So the heap is
    /// measured until the growth is at most `limit`, or many times.
    public static func heapGrowth(settlingTo limit: Int, _ body: () async throws -> Void) async rethrows -> Int {
        let before = Int(heap_live_bytes())
        try await body()
        var growth = Int(heap_live_bytes()) - before
        for _ in 0..<100_000 where growth > limit {
            await Task.yield()
            growth = Int(heap_live_bytes()) - before
        }
        return growth
    }

    private static func entries(in path: String) throws -> Int {
        guard let directory = opendir(path) else { throw RawSocketError.system(errno) }
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return count
    }

    private static func residentPages() throws -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { throw RawSocketError.system(errno) }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { throw RawSocketError.ended }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { throw RawSocketError.unexpected(text) }
        return pages
    }
}
