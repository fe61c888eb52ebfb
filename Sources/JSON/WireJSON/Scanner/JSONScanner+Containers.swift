// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONScanner {
    /// Reads one value and validates all of it. The position must be at its first byte.
    ///
    /// - Parameter depth: the number of arrays and objects around the value.
    @inlinable @inline(__always)
    package mutating func skipValue(depth: Int) throws(ScanFault) {
        position = try endOfValue(at: position, depth: depth)
    }

    @usableFromInline
    func endOfValue(at start: Int, depth: Int) throws(ScanFault) -> Int {
        var scanner = self
        scanner.position = start
        var nesting = NestingStack()
        while true {
            try scanner.skipValueStart(&nesting, depth: depth)
            // A value has ended: end containers until another value must follow.
            while true {
                if nesting.depth == 0 { return scanner.position }
                scanner.skipWhitespace()
                if nesting.isInObject {
                    if scanner.take(UInt8(ascii: ",")) {
                        scanner.skipWhitespace()
                        _ = try scanner.scanMemberName()
                        break
                    }
                    guard scanner.take(UInt8(ascii: "}")) else { throw scanner.fault(.expectedCommaOrEnd) }
                } else {
                    if scanner.take(UInt8(ascii: ",")) {
                        scanner.skipWhitespace()
                        break
                    }
                    guard scanner.take(UInt8(ascii: "]")) else { throw scanner.fault(.expectedCommaOrEnd) }
                }
                nesting.pop()
            }
        }
    }

    /// Reads a scalar, an empty container, or nested containers up to their first scalar or empty container.
    @inline(__always)
    private mutating func skipValueStart(_ nesting: inout NestingStack, depth: Int) throws(ScanFault) {
        while true {
            guard position < end else { throw ScanFault(.unexpectedEnd, at: end) }
            switch unsafe bytes[position] {
            case UInt8(ascii: "{"):
                try enter(&nesting, isObject: true, depth: depth)
                if take(UInt8(ascii: "}")) {
                    nesting.pop()
                    return
                }
                _ = try scanMemberName()
            case UInt8(ascii: "["):
                try enter(&nesting, isObject: false, depth: depth)
                if take(UInt8(ascii: "]")) {
                    nesting.pop()
                    return
                }
            default:
                try skipScalar()
                return
            }
        }
    }

    @inline(__always)
    private mutating func enter(_ nesting: inout NestingStack, isObject: Bool, depth: Int) throws(ScanFault) {
        guard depth + nesting.depth < maximumDepth else { throw ScanFault(.nestingTooDeep, at: position) }
        nesting.push(isObject: isObject)
        position &+= 1
        skipWhitespace()
    }
}

/// The kinds of the open containers, one bit each. So nesting needs no recursion, and 64 levels need no allocation.
private struct NestingStack {
    private(set) var depth = 0
    private var bits: UInt64 = 0
    private var outer: [UInt64] = []

    @inline(__always)
    var isInObject: Bool { bits & 1 == 1 }

    @inline(__always)
    mutating func push(isObject: Bool) {
        if depth & 63 == 0, depth > 0 { outer.append(bits) }
        bits = bits &<< 1 | (isObject ? 1 : 0)
        depth &+= 1
    }

    @inline(__always)
    mutating func pop() {
        depth &-= 1
        bits &>>= 1
        if depth & 63 == 0, depth > 0 { bits = outer.popLast() ?? 0 }
    }
}
