// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

struct Version: Decodable, Sendable {
    var version: String
    var enabledFeatures: [String]
}

struct GID: Decodable, Sendable {
    var gid: String
}

struct ConfigurationParams: Decodable, Sendable {
    struct Item: Decodable, Sendable {
        var section: String?
    }
    var items: [Item]
}

func session() async throws {
    let client = try await JSONRPCClient.connect(to: "ws://127.0.0.1:6800/jsonrpc")

    // Calls: any number at once, from any task; answered in any order.
    let version: Version = try await client.call("aria2.getVersion")
    let gid: String = try await client.call("aria2.addUri", params: [["http://127.0.0.1/x"]], timeout: .seconds(5))
    print(version.version, gid)

    // Notifications. A gap says that some are missing; `.values` leaves that out.
    for try await element in client.notifications("aria2.onDownloadStart", as: [GID].self) {
        switch element {
        case .value(let started): print("started:", started.map(\.gid))
        case .gap(let gap): print("missed some:", gap.reason)
        }
        break
    }
    for try await started in client.notifications("aria2.onDownloadStart", as: [GID].self).values {
        print("started:", started.map(\.gid))
        break
    }

    // The server calls us.
    client.handle("workspace/configuration") { (params: ConfigurationParams) async throws -> [JSONValue] in
        params.items.map { _ in .null }
    }

    try await client.notify("initialized")
    await client.close()  // closing handshake; every pending call settles
}

try await session()
