// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples of the article "Errors and safe retries".
import JSONRPCWebSocket

struct Subtract: JSONRPCRequest {
    typealias Response = Int
    var minuend: Int, subtrahend: Int
    var method: String { "subtract" }
    var params: [Int] { [minuend, subtrahend] }
}

func outcome(_ client: JSONRPCClient) async {
    switch await client.result(of: Subtract(minuend: 42, subtrahend: 23)) {
    case .success(let difference): print(difference)
    case .failure(.answered(let error)): print("the server says", error.code, error.message)
    case .failure(.failed(let error)): print(error)
    case .failure(.cancelled): break
    }
}

func addDownload(_ url: String, at server: String) async throws -> String {
    func attempt() async throws -> String {
        try await JSONRPCClient.withConnection(to: server) { client in
            try await client.call("aria2.addUri", params: [[url]])
        }
    }
    do {
        return try await attempt()
    } catch let error as ClientError where error.delivery == .notSent && error.isRetryable {
        return try await attempt()
    }
}

func connect(to url: String) async throws -> JSONRPCClient {
    do {
        return try await JSONRPCClient.connect(to: url)
    } catch let error as ClientError {
        if let refusal = (error.cause as? WebSocketError)?.response {
            print("The server answered with the status", refusal.status)
        }
        print(error.isRetryable ? "Try again later." : "Trying again will not help.")
        throw error
    }
}
