// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The random numbers of one message, which its number and the seed determine (SplitMix64).
struct FaultDraw: RandomNumberGenerator {
    private let connection: Int
    private let direction: MessageDirection
    private let message: Int
    private var word: UInt64

    init(seed: UInt64, connection: Int, direction: MessageDirection, message: Int) {
        self.connection = connection
        self.direction = direction
        self.message = message
        word = seed
        for part in [
            UInt64(truncatingIfNeeded: connection), direction == .inbound ? 1 : 2,
            UInt64(truncatingIfNeeded: message),
        ] {
            word = next() ^ part
        }
    }

    mutating func next() -> UInt64 {
        word &+= 0x9E37_79B9_7F4A_7C15
        var mixed = word
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns the fault of the first rule that selects the message, with the values that it draws.
    mutating func fault(of rules: [FaultRule], byteCount: Int) -> Fault? {
        for rule in rules {
            // Drawn for each rule, so that a rule makes no difference to the rules after it.
            let chance = Double.random(in: 0..<1, using: &self)
            guard rule.direction == nil || rule.direction == direction,
                rule.connection == nil || rule.connection == connection
            else { continue }
            switch rule.selection {
            case .probability(let probability): if chance < probability { return drawn(rule.fault, byteCount) }
            case .messages(let numbers): if numbers.contains(message) { return drawn(rule.fault, byteCount) }
            }
        }
        return nil
    }

    private mutating func drawn(_ fault: Fault, _ byteCount: Int) -> Fault {
        switch fault {
        case .delay(let range):
            let nanoseconds = Int64(min(max((range.upperBound - range.lowerBound) / .nanoseconds(1), 0), 1e18))
            let delay = range.lowerBound + .nanoseconds(Int64.random(in: 0...nanoseconds, using: &self))
            return .delay(delay...delay)
        case .truncate(nil): return .truncate(to: byteCount > 0 ? Int.random(in: 0..<byteCount, using: &self) : 0)
        case .corrupt(nil): return .corrupt(byte: byteCount > 0 ? Int.random(in: 0..<byteCount, using: &self) : 0)
        case .reorder, .duplicate, .drop, .truncate, .corrupt, .stall, .close, .kill: return fault
        }
    }

    /// Returns a message as a fault leaves it.
    mutating func altered(_ bytes: [UInt8], by fault: Fault) -> [UInt8] {
        switch fault {
        case .truncate(let count): return Array(bytes.prefix(max(0, count ?? 0)))
        case .corrupt(let byte):
            guard let byte, bytes.indices.contains(byte) else { return bytes }
            var bytes = bytes
            bytes[byte] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            return bytes
        case .delay, .reorder, .duplicate, .drop, .stall, .close, .kill: return bytes
        }
    }
}
