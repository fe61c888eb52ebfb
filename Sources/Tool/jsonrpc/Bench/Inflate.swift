// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Reads the zlib format (RFC 1950) with deflate (RFC 1951), for HdrHistogram logs of other programs.
struct Inflate {
    /// The reason why data cannot be read.
    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    private let input: [UInt8]
    private var position = 0
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []
    private let limit: Int

    /// Returns the content.
    ///
    /// - Parameter limit: The largest number of bytes of the content.
    /// - Throws: ``Fault`` if the data is malformed, or the content is longer than the limit.
    static func content(of zlib: [UInt8], limit: Int) throws(Fault) -> [UInt8] {
        guard zlib.count >= 6, zlib[0] & 15 == 8, (Int(zlib[0]) << 8 | Int(zlib[1])) % 31 == 0, zlib[1] & 32 == 0 else {
            throw Fault(description: "The data does not begin as zlib.")
        }
        var reader = Inflate(input: zlib, limit: limit)
        reader.position = 2
        try reader.readBlocks()
        var checksum: UInt32 = 0
        for _ in 0..<4 { checksum = checksum << 8 | UInt32(try reader.byte()) }
        guard checksum == ZlibStored.adler32(reader.output) else {
            throw Fault(description: "The checksum of the zlib data is wrong.")
        }
        return reader.output
    }

    private init(input: [UInt8], limit: Int) {
        self.input = input
        self.limit = limit
    }

    // MARK: Bits

    private mutating func byte() throws(Fault) -> UInt8 {
        guard position < input.count else { throw Fault(description: "The zlib data ends early.") }
        position += 1
        return input[position - 1]
    }

    private mutating func take(_ count: Int) throws(Fault) -> Int {
        while bitCount < count {
            bits |= UInt32(try byte()) << UInt32(bitCount)
            bitCount += 8
        }
        let value = bits & (1 << UInt32(count) - 1)
        bits >>= UInt32(count)
        bitCount -= count
        return Int(value)
    }

    // MARK: Blocks

    private mutating func readBlocks() throws(Fault) {
        var isLast = false
        while !isLast {
            isLast = try take(1) == 1
            switch try take(2) {
            case 0: try readStored()
            case 1: try readCodes(literals: Self.fixedLiterals, distances: Self.fixedDistances)
            case 2: try readDynamic()
            default: throw Fault(description: "The zlib data has an unknown kind of block.")
            }
        }
        // The checksum begins at a byte. At most 7 bits are left over, since bits are read one byte at a time.
        (bits, bitCount) = (0, 0)
    }

    private mutating func append(_ byte: UInt8) throws(Fault) {
        guard output.count < limit else { throw Fault(description: "The content is longer than \(limit) bytes.") }
        output.append(byte)
    }

    private mutating func readStored() throws(Fault) {
        (bits, bitCount) = (0, 0)
        let length = Int(try byte()) | Int(try byte()) << 8
        let complement = Int(try byte()) | Int(try byte()) << 8
        guard length == ~complement & 0xFFFF else { throw Fault(description: "A stored block has a wrong length.") }
        for _ in 0..<length { try append(try byte()) }
    }

    private static let fixedLiterals = HuffmanCode(
        lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = HuffmanCode(lengths: [Int](repeating: 5, count: 30))

    private mutating func readDynamic() throws(Fault) {
        let literalCount = try take(5) + 257
        let distanceCount = try take(5) + 1
        let lengthCount = try take(4) + 4
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        var lengths = [Int](repeating: 0, count: 19)
        for index in order.prefix(lengthCount) { lengths[index] = try take(3) }
        let code = HuffmanCode(lengths: lengths)
        var all: [Int] = []
        while all.count < literalCount + distanceCount {
            let symbol = try read(code)
            switch symbol {
            case 16:
                guard let last = all.last else { throw Fault(description: "A code length repeats nothing.") }
                all += [Int](repeating: last, count: 3 + (try take(2)))
            case 17: all += [Int](repeating: 0, count: 3 + (try take(3)))
            case 18: all += [Int](repeating: 0, count: 11 + (try take(7)))
            default: all.append(symbol)
            }
        }
        guard all.count == literalCount + distanceCount else {
            throw Fault(description: "There are too many code lengths.")
        }
        try readCodes(
            literals: HuffmanCode(lengths: Array(all.prefix(literalCount))),
            distances: HuffmanCode(lengths: Array(all.dropFirst(literalCount))))
    }

    private mutating func readCodes(literals: HuffmanCode, distances: HuffmanCode) throws(Fault) {
        while true {
            let symbol = try read(literals)
            if symbol < 256 {
                try append(UInt8(symbol))
                continue
            }
            if symbol == 256 { return }
            guard symbol < 286 else { throw Fault(description: "The zlib data has an unknown length.") }
            let length = try extended(symbol - 257, group: 4, base: 3, last: 28, lastValue: 258)
            let code = try read(distances)
            guard code < 30 else { throw Fault(description: "The zlib data has an unknown distance.") }
            let distance = try extended(code, group: 2, base: 1, last: .max, lastValue: 0)
            guard distance <= output.count else { throw Fault(description: "A distance leads before the content.") }
            for _ in 0..<length { try append(output[output.count - distance]) }
        }
    }

    /// Returns a length or a distance (RFC 1951 §3.2.5). Codes come in groups, and each group has one more extra bit.
    /// The first two groups have none.
    private mutating func extended(
        _ code: Int, group: Int, base: Int, last: Int, lastValue: Int
    ) throws(Fault) -> Int {
        if code == last { return lastValue }
        guard code >= 2 * group else { return base + code }
        let extra = code / group - 1
        return base + (group + code % group) << extra + (try take(extra))
    }

    private mutating func read(_ code: HuffmanCode) throws(Fault) -> Int {
        var (value, first, index) = (0, 0, 0)
        for length in 1...15 {
            value |= try take(1)
            let count = code.counts[length]
            if value - first < count { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        throw Fault(description: "The zlib data has an unknown code.")
    }
}

/// A canonical Huffman code (RFC 1951 §3.2.2).
private struct HuffmanCode {
    /// The number of codes of each length, from 0 to 15.
    private(set) var counts = [Int](repeating: 0, count: 16)
    /// The symbols in the order of their codes.
    private(set) var symbols: [Int] = []

    init(lengths: [Int]) {
        for length in 1...15 {
            let same = lengths.indices.filter { lengths[$0] == length }
            counts[length] = same.count
            symbols += same
        }
    }
}
