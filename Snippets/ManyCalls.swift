// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples of the article "Many calls at once".
import JSONRPCWebSocket

struct Item: Codable, Sendable {
    var id: Int
}

func asTheyEnd(_ client: JSONRPCClient, ids: [Int], store: (Item) -> Void) async throws {
    let requests = ids.lazy.map { MethodCall("get", params: [$0], as: Item.self) }
    for try await (index, result) in client.results(of: requests, inFlight: 256) {
        switch result {
        case .success(let item): store(item)
        case .failure(let error): print("Item \(ids[index]): \(error)")
        }
    }
}

func inOrder(_ client: JSONRPCClient, _ requests: [MethodCall<[Int], Item>]) async throws {
    var items = [Item?](repeating: nil, count: requests.count)
    for try await (index, result) in client.results(of: requests) { items[index] = try? result.get() }
    print(items.count)
}

func fromASequence(_ client: JSONRPCClient, names: AsyncStream<String>) async throws {
    let imports = names.map { MethodCall("import", params: [$0], as: Bool.self) }
    for try await (index, result) in client.results(of: imports) where (try? result.get()) != true {
        print("Import \(index) was refused.")
    }
}

func oneCall(_ client: JSONRPCClient) async throws {
    let requests = (0..<1000).map { MethodCall("sum", params: [$0, 1], as: Int.self) }
    var total = 0
    for try await (_, result) in client.results(of: requests) { total += try result.get() }
    print(total)
}
