// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCSession
import Synchronization
import ToolSupport

package struct BenchRequest: Sendable {
    /// The index of the method in the workload.
    var index: Int
    package var method: String
    package var params: RawJSON?
}

/// The requests of a run, which are chosen at random by their weights. It is thread-safe.
///
/// The n-th request of a seed is always the same, except for the values of counters.
package final class RequestMix: Sendable {
    struct Line: Sendable {
        var method: String
        var params: RequestTemplate?
        /// The share of the line relative to those of the others.
        var weight = 1.0
    }

    /// The largest number of lines. Each has statistics of its own, so it limits the memory.
    static let maximumLines = 256

    private let lines: [Line]
    /// A short checksum of methods, params and weights, to compare loads. It has 32 bits, so that it does not confirm a
    /// guess of secret params.
    package let checksum: String
    private let constant: BenchRequest?
    /// The sums of the weights up to each line.
    private let sums: [Double]
    private let seed: UInt64
    private let requests = Atomic<UInt64>(0)
    /// The number of requests of each line, for counters.
    private let uses: [CallCounter]

    /// - Parameter lines: At least one line.
    init(_ lines: [Line], seed: UInt64 = 1) {
        self.lines = lines
        self.seed = seed
        var content: [UInt8] = []
        for line in lines {
            let params = line.params.map { Array($0.source.bytes) } ?? []
            // Neither a JSON text nor a weight contains the zero byte that separates them.
            for part in [Array(line.method.utf8), params, Array("\(line.weight)".utf8)] { content += part + [0] }
        }
        // FNV-1a.
        let hash = content.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        checksum = String(UInt32(truncatingIfNeeded: hash ^ hash >> 32), radix: 16)
        var sum = 0.0
        sums = lines.map { line in
            sum += line.weight
            return sum
        }
        uses = lines.map { _ in CallCounter() }
        let isConstant = lines.count == 1 && lines[0].params.map { $0.constant != nil } ?? true
        constant = isConstant ? BenchRequest(index: 0, method: lines[0].method, params: lines[0].params?.constant) : nil
    }

    /// Makes a mix of one method with the same params each time.
    package convenience init(method: String, params: RawJSON?) {
        self.init([Line(method: method, params: params.map { RequestTemplate(constant: $0) })])
    }

    /// The names of the methods, in the order of their indexes. A method can occur several times.
    package var methods: [String] { lines.map(\.method) }

    /// The params of each method as JSON, with their placeholders. Methods without params are left out.
    package var params: [String] { lines.compactMap { $0.params?.source.text } }

    func next() -> BenchRequest {
        if let constant { return constant }
        let number = requests.wrappingAdd(1, ordering: .relaxed).oldValue
        // A generator for each request needs no lock. The constant spreads the seeds of neighbors.
        var random = SplitMix64(state: seed &+ number &* 0xD1B5_4A32_D192_ED03)
        let index = lines.count == 1 ? 0 : index(at: random.unit() * (sums.last ?? 0))
        let line = lines[index]
        let params = line.params.map { template in
            template.constant ?? template.fill(number: uses[index].next(), &random)
        }
        return BenchRequest(index: index, method: line.method, params: params)
    }

    /// Returns the line that a point between 0 and the sum of all weights falls on.
    private func index(at point: Double) -> Int {
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if point < sums[middle] { high = middle } else { low = middle + 1 }
        }
        return low
    }

    // MARK: Workload file

    /// Reads a workload file: a JSON object on each line, with the members `method`, `params` and `weight`. Blank lines
    /// are skipped.
    package convenience init(workload bytes: [UInt8], named name: String, seed: UInt64) throws {
        var lines: [Line] = []
        for (index, text) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            guard !text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { continue }
            do {
                lines.append(try Self.line(text))
            } catch let error as JSONSyntaxError {
                // The error's own line is always 1, because each line is parsed by itself.
                throw UsageError("\(name), line \(index + 1), column \(error.column): \(error.reason).")
            } catch {
                throw UsageError("\(name), line \(index + 1): \(TerminalText.line("\(error)"))")
            }
            guard lines.count <= Self.maximumLines else {
                throw UsageError("\(name), line \(index + 1): A workload has at most \(Self.maximumLines) requests.")
            }
        }
        guard !lines.isEmpty else {
            throw UsageError(
                "\(name) has no request. Write a JSON object on each line, such as {\"method\":\"echo\",\"weight\":3}.")
        }
        self.init(lines, seed: seed)
    }

    private static func line(_ bytes: ArraySlice<UInt8>) throws -> Line {
        guard let members = try RawJSON(validating: bytes).namedMembers() else {
            throw UsageError("Expected a JSON object with the member 'method'.")
        }
        var line = Line(method: "")
        var seen: Set<String> = []
        for (name, value) in members {
            guard seen.insert(name).inserted else { throw UsageError("The member '\(name)' is repeated.") }
            switch (name, value.bytes.first) {
            case ("method", UInt8(ascii: "\"")): line.method = try value.decode(as: String.self)
            case ("method", _): throw UsageError("'method' must be a string.")
            case ("params", UInt8(ascii: "[")), ("params", UInt8(ascii: "{")):
                line.params = try RequestTemplate(value)
            case ("params", _): throw UsageError("'params' must be an array or an object.")
            case ("weight", _):
                guard let weight = try? value.decode(as: Double.self), weight > 0, weight <= 1e9 else {
                    throw UsageError("'weight' must be a number above 0 and at most 1000000000.")
                }
                line.weight = weight
            default:
                throw UsageError("The member '\(name)' is unknown. Known members are 'method', 'params' and 'weight'.")
            }
        }
        guard !line.method.isEmpty else { throw UsageError("'method' is missing or empty.") }
        return line
    }
}

/// A fast generator of random numbers that needs only a seed. It is not secure.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// Returns a number from 0 to below 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
