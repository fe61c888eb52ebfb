// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPTypes
import Synchronization

/// The exchanges of a transport, for any number of tasks.
final class ExchangeList: Sendable {
    private let exchanges: Mutex<[HTTPRecording.Exchange]>

    init(_ exchanges: [HTTPRecording.Exchange] = []) { self.exchanges = Mutex(exchanges) }

    var all: [HTTPRecording.Exchange] { exchanges.withLock { $0 } }

    func add(_ exchange: HTTPRecording.Exchange) { exchanges.withLock { $0.append(exchange) } }

    func takeFirst(where isWanted: (HTTPRecording.Exchange) -> Bool) -> HTTPRecording.Exchange? {
        exchanges.withLock { exchanges in
            exchanges.firstIndex(where: isWanted).map { exchanges.remove(at: $0) }
        }
    }
}

extension HTTPFields {
    /// Names and values, without secrets.
    var recorded: [[String]] { map { [$0.name.rawName, HTTPRedaction.standard.value(of: $0)] } }

    init?(recorded: [[String]]) {
        self.init()
        for field in recorded {
            guard field.count == 2, let name = HTTPField.Name(field[0]) else { return nil }
            append(HTTPField(name: name, value: field[1]))
        }
    }
}
