// swift-jsonrpc · SPDX-License-Identifier: MIT

import Aria2Dashboard
import Foundation
import JSONRPCMacros
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// The proxy of the example, with aria2.
@Suite(.serialized, .inTurn(within: .seconds(60)))
struct Aria2ProxyTests {
    private func withProxy(
        _ body: (_ aria2: any Aria2RPC, _ downloads: String, _ process: PeerProcess) async throws -> Void
    ) async throws {
        try await Aria2.run { url, downloads, process in
            try await withClient(to: url) { client in
                try await body(Aria2RPCProxy(over: client), downloads, process)
            }
        }
    }

    private let nowhere = "http://127.0.0.1:9/nothing"

    @Test func everyMethodOfTheProxyIsOneOfAria2s() async throws {
        try await withProxy { aria2, _, _ in
            let methods = try await aria2.listMethods()
            #expect(methods.count >= 36)
            #expect(try await aria2.listNotifications().count == 6)
            let answers = try await aria2.multicall([
                MethodCall("aria2.getVersion"), MethodCall("aria2.noSuchMethod"),
                MethodCall("aria2.tellActive", [["gid"]]),
            ])
            #expect(answers.count == 3)
            #expect(answers.first?.arrayValue?.first?["version"] != nil)
            #expect(answers.dropFirst().first?["code"] != nil)
        }
    }

    @Test func aria2TellsOfItself() async throws {
        try await withProxy { aria2, downloads, _ in
            let version = try await aria2.getVersion()
            #expect(version.version.hasPrefix("1."))
            #expect(try await aria2.getSessionInfo().sessionId.count == 40)
            #expect(try await aria2.getGlobalStat().numActive == "0")
            #expect(try await aria2.getGlobalOption()["dir"] == downloads)
            #expect(try await aria2.changeGlobalOption(["max-concurrent-downloads": "3"]) == "OK")
            #expect(try await aria2.getGlobalOption()["max-concurrent-downloads"] == "3")
            #expect(try await aria2.purgeDownloadResult() == "OK")
            #expect(try await aria2.tellActive().isEmpty)
            #expect(try await aria2.tellStopped().isEmpty)
            #expect(try await aria2.pauseAll() == "OK")
            #expect(try await aria2.forcePauseAll() == "OK")
        }
    }

    @Test func pausedDownloadsWaitInTheirOrder() async throws {
        try await withProxy { aria2, _, _ in
            let paused = ["pause": "true"]
            let first = try await aria2.addUri([nowhere], options: paused)
            let second = try await aria2.addUri([nowhere + "/2"], options: paused)
            // A `nil` argument before another argument keeps its place, and aria2 does not accept `null` as options.
            let error = await #expect(throws: ErrorObject.self) {
                try await aria2.addUri([nowhere], options: nil, position: 0)
            }
            #expect(error?.code == 1)
            let third = try await aria2.addUri([nowhere + "/3"], options: paused, position: 0)
            #expect(try await aria2.tellWaiting().map(\.gid) == [third, first, second])
            #expect(try await aria2.tellWaiting(offset: 1, num: 1, keys: ["gid"]).map(\.gid) == [first])
            #expect(try await aria2.changePosition(first, 0, how: .beginning) == 0)
            #expect(try await aria2.changePosition(first, 1, how: .current) == 1)
            #expect(try await aria2.changePosition(first, 0, how: .end) == 2)
            #expect(try await aria2.tellWaiting().map(\.gid) == [third, second, first])
            #expect(try await aria2.getGlobalStat().numWaiting == "3")
        }
    }

    @Test func aDownloadsPartsCanBeSeenAndChanged() async throws {
        try await withProxy { aria2, _, _ in
            let gid = try await aria2.addUri([nowhere], options: ["pause": "true", "out": "x.bin"])
            let status = try await aria2.tellStatus(gid, keys: ["gid", "status"])
            #expect(status.gid == gid)
            #expect(status.status == .paused)
            #expect(status.files == nil, "it was not asked for")
            #expect(try await aria2.tellStatus(gid).files?.count == 1)
            #expect(try await aria2.getUris(gid).map(\.uri) == [nowhere])
            #expect(try await aria2.getFiles(gid).first?.index == "1")
            await #expect(throws: ErrorObject.self, "it is not active") { try await aria2.getServers(gid) }
            #expect(try await aria2.getOption(gid)["out"] == "x.bin")
            #expect(try await aria2.changeOption(gid, ["out": "y.bin"]) == "OK")
            #expect(try await aria2.getOption(gid)["out"] == "y.bin")
            let changed = try await aria2.changeUri(
                gid, fileIndex: 1, removing: [nowhere], adding: [nowhere + "/a", nowhere + "/b"], at: 0)
            #expect(changed == [1, 2])
            #expect(Set(try await aria2.getUris(gid).map(\.uri)) == [nowhere + "/a", nowhere + "/b"])
            #expect(try await aria2.remove(gid) == gid)
            await #expect(throws: ErrorObject.self) { try await aria2.tellStatus(gid) }
        }
    }

    @Test func notificationsFollowADownload() async throws {
        let contents = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await FileServer.run(files: ["file.bin": contents]) { files in
            try await withProxy { aria2, downloads, _ in
                let starts = aria2.onDownloadStart
                let ends = aria2.onDownloadComplete
                let gid = try await aria2.addUri([files + "file.bin"], options: ["pause": "true"])
                #expect(try await aria2.unpause(gid) == gid)
                #expect(try await starts.values.first { _ in true } == [DownloadEvent(gid: gid)])
                #expect(try await ends.values.first { _ in true } == [DownloadEvent(gid: gid)])
                #expect(try await aria2.tellStatus(gid).completedLength == "300000")
                #expect(try Data(contentsOf: URL(filePath: downloads).appending(path: "file.bin")) == contents)
            }
        }
    }

    @Test func failedPausedAndStoppedDownloadsAreTold() async throws {
        try await FileServer.run(files: [:]) { files in
            try await withProxy { aria2, _, _ in
                let errors = aria2.onDownloadError
                let stops = aria2.onDownloadStop
                let starts = aria2.onDownloadStart
                let pauses = aria2.onDownloadPause
                let gid = try await aria2.addUri([files + "missing.bin"])
                #expect(try await errors.values.first { _ in true } == [DownloadEvent(gid: gid)])
                #expect(try await aria2.tellStatus(gid).errorCode == "3")
                #expect(try await aria2.tellStopped().map(\.gid) == [gid])
                #expect(try await aria2.removeDownloadResult(gid) == "OK")
                #expect(try await aria2.tellStopped().isEmpty)
                // A server that accepts the connection but never answers.
                let silent = try LoopbackSocket.listening()
                let active = try await aria2.addUri(["http://127.0.0.1:\(try silent.localPort())/x"])
                #expect(try await starts.values.first { $0 == [DownloadEvent(gid: active)] } != nil)
                #expect(try await aria2.tellActive(keys: ["gid"]).map(\.gid) == [active])
                #expect(try await aria2.getServers(active).count == 1)
                #expect(try await aria2.forcePause(active) == active)
                #expect(try await pauses.values.first { _ in true } == [DownloadEvent(gid: active)])
                #expect(try await aria2.unpause(active) == active)
                #expect(try await starts.values.first { _ in true } == [DownloadEvent(gid: active)])
                #expect(try await aria2.forceRemove(active) == active)
                #expect(try await stops.values.first { _ in true } == [DownloadEvent(gid: active)])
                #expect(try await aria2.unpauseAll() == "OK")
            }
        }
    }

    @Test func errorsOfAria2AreThrown() async throws {
        try await withProxy { aria2, _, _ in
            let unknown = GID("0123456789abcdef")
            for call in [aria2.pause, aria2.forcePause, aria2.unpause, aria2.remove, aria2.forceRemove] {
                let error = await #expect(throws: ErrorObject.self) { try await call(unknown) }
                #expect(error?.code == 1)
            }
            await #expect(throws: ErrorObject.self) { try await aria2.getPeers(unknown) }
            await #expect(throws: ErrorObject.self) {
                try await aria2.addTorrent("no torrent", uris: [], options: [:], position: 0)
            }
            await #expect(throws: ErrorObject.self) {
                try await aria2.addMetalink("no metalink", options: [:], position: 0)
            }
            await #expect(throws: ErrorObject.self) { try await aria2.saveSession() }
        }
    }

    @Test func aria2ShutsDownWhenToldTo() async throws {
        try await Aria2.run { url, _, process in
            let client = try await JSONRPCClient.connect(to: url)
            let session = try #require(client.session)
            let aria2 = Aria2RPCProxy(over: client)
            #expect(try await aria2.shutdown() == "OK")
            #expect(try await aria2.forceShutdown() == "OK")
            await session.closed()
            #expect(try await process.exitStatus() == 0)
            await client.close()
        }
    }
}
