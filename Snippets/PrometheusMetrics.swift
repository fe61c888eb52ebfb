// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples of the article "Metrics for Prometheus". The program calls itself, and prints its metrics.
import JSONRPCObservability
import JSONRPCWebSocket
import Metrics
import Synchronization

/// A backend of swift-metrics that keeps all values, and writes them in the text format of Prometheus.
final class PrometheusText: MetricsFactory {
    private let samples = Mutex<[String: Sample]>([:])

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        sample(label, dimensions, "counter", suffix: "_total")
    }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        sample(label, dimensions, "gauge")
    }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        sample(label, dimensions, aggregate ? "summary" : "gauge")
    }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        sample(label, dimensions, "summary", suffix: "_seconds")
    }
    // The values stay until the process ends, as Prometheus expects.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    /// All metrics, as Prometheus reads them.
    var text: String {
        let all = samples.withLock { $0.values.sorted { ($0.name, $0.labels) < ($1.name, $1.labels) } }
        var (text, last) = ("", "")
        for sample in all {
            if sample.name != last { text += "# TYPE \(sample.name) \(sample.kind)\n" }
            last = sample.name
            text += sample.lines
        }
        return text
    }

    /// Returns the one sample with this name and these dimensions.
    private func sample(
        _ label: String, _ dimensions: [(String, String)], _ kind: String, suffix: String = ""
    ) -> Sample {
        let name = String(label.map { $0.isLetter || $0.isNumber ? $0 : "_" }) + suffix
        let labels = dimensions.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
        return samples.withLock { samples in
            let key = name + "{" + labels
            let sample = samples[key] ?? Sample(name: name, labels: labels, kind: kind)
            samples[key] = sample
            return sample
        }
    }

    /// Escapes the value of a label. A peer chooses the names of its methods.
    private static func escaped(_ value: String) -> String {
        value.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

/// One time series: a sum, and for a summary also the number of its values.
final class Sample: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    let name: String, labels: String, kind: String
    private let state = Mutex((sum: 0.0, count: 0))

    init(name: String, labels: String, kind: String) {
        (self.name, self.labels, self.kind) = (name, labels, kind)
    }

    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func recordNanoseconds(_ duration: Int64) { add(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { kind == "gauge" ? set(value) : add(value) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0.sum = value } }
    func reset() { set(0.0) }

    private func add(_ value: Double) {
        state.withLock { state in
            state.sum += value
            state.count += 1
        }
    }

    var lines: String {
        let (sum, count) = state.withLock { $0 }
        let labels = labels.isEmpty ? "" : "{\(labels)}"
        return kind == "summary"
            ? "\(name)_sum\(labels) \(sum)\n\(name)_count\(labels) \(count)\n" : "\(name)\(labels) \(sum)\n"
    }
}

let prometheus = PrometheusText()
MetricsSystem.bootstrap(prometheus)

let server = try await JSONRPCListener.listen { session in
    session.handle("sum") { (terms: [Int]) in terms.reduce(0, &+) }
}
let metrics = SessionMetrics(dimensions: [("peer", "sums")])
var configuration = SessionConfiguration()
configuration.calls.interceptors = [metrics]
let client = JSONRPCClient(connector: WebSocketConnector(to: server.url), configuration: configuration)
metrics.follow(client)
try await client.connect()
let sum: Int = try await client.call("sum", params: [1, 2, 3])
print(prometheus.text, terminator: "")
await client.close()
await server.stop()
