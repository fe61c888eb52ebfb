// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

/// What this process holds, as `/proc` tells.
public struct ProcessResources: Sendable, CustomStringConvertible {
    public var descriptors: Int
    public var threads: Int
    public var residentBytes: Int

    public static func current() throws -> ProcessResources {
        try ProcessResources(
            descriptors: entries(in: "/proc/self/fd"), threads: entries(in: "/proc/self/task"),
            residentBytes: residentPages() * Int(getpagesize()))
    }

    public var description: String {
        "\(descriptors) descriptors, \(threads) threads, \(residentBytes >> 10) KiB resident"
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
