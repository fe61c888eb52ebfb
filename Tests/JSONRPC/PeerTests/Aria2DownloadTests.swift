// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

@Suite(.serialized, .withEachEngine, .inTurn(within: .seconds(60)))
struct Aria2DownloadTests {
    struct Download: Decodable, Sendable, Equatable {
        var gid: String
    }

    struct Status: Decodable, Sendable {
        var gid: String
        var status: String
        var completedLength: String
        var errorCode: String?
    }

    @Test func notificationsTellOfADownloadFromItsStartToItsEnd() async throws {
        let contents = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await FileServer.run(files: ["file.bin": contents]) { files in
            try await Aria2.run { url, downloads, _ in
                try await withClient(to: url) { client in
                    let starts = client.notifications("aria2.onDownloadStart", as: [Download].self)
                    let ends = client.notifications("aria2.onDownloadComplete", as: [Download].self)

                    let gid: String = try await client.call("aria2.addUri", params: [[files + "file.bin"]])
                    #expect(try await starts.first { _ in true } == .value([Download(gid: gid)]))
                    #expect(try await ends.first { _ in true } == .value([Download(gid: gid)]))

                    let status: Status = try await client.call("aria2.tellStatus", params: [gid])
                    #expect(status.gid == gid)
                    #expect(status.status == "complete")
                    #expect(status.completedLength == "300000")
                    let downloaded = try Data(contentsOf: URL(filePath: downloads).appending(path: "file.bin"))
                    #expect(downloaded == contents)
                }
            }
        }
    }

    @Test func aFailedDownloadIsToldByItsOwnNotification() async throws {
        try await FileServer.run(files: [:]) { files in
            try await Aria2.run { url, _, _ in
                try await withClient(to: url) { client in
                    let errors = client.notifications("aria2.onDownloadError", as: [Download].self)
                    let gid: String = try await client.call("aria2.addUri", params: [[files + "missing.bin"]])
                    #expect(try await errors.values.first { _ in true } == [Download(gid: gid)])
                    let status: Status = try await client.call("aria2.tellStatus", params: [gid])
                    #expect(status.status == "error")
                    #expect(status.errorCode == "3", "aria2's code for a resource that was not found")
                }
            }
        }
    }

    @Test func everyClientIsToldOfEveryDownload() async throws {
        let names = (0..<5).map { "file\($0).txt" }
        let files = Dictionary(uniqueKeysWithValues: names.map { ($0, Data($0.utf8)) })
        try await FileServer.run(files: files) { files in
            try await Aria2.run { url, _, _ in
                try await withClient(to: url) { watcher in
                    let ends = watcher.notifications("aria2.onDownloadComplete", as: [Download].self)
                    let gids = try await withClient(to: url) { client in
                        let outcomes = try await client.batch(
                            names.map { try .call("aria2.addUri", params: [[files + $0]]) })
                        return try outcomes.map { try #require($0).get().decode(as: String.self) }
                    }
                    var seen: Set<String> = []
                    for try await element in ends {
                        seen.insert(try #require(element.value?.first?.gid))
                        if seen.count == gids.count { break }
                    }
                    #expect(seen == Set(gids))
                }
            }
        }
    }
}
