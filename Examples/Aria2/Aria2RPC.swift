// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCMacros

/// The JSON-RPC interface of aria2 1.36, a download manager, as its manual lists it.
///
/// ```swift
/// let client = try await JSONRPCClient.connect(to: "ws://127.0.0.1:6800/jsonrpc")
/// let aria2 = Aria2RPCProxy(over: client)
/// let gid = try await aria2.addUri(["http://127.0.0.1/file"])
/// ```
///
/// aria2 accepts params by position only. Arguments at the end can be left out.
@JSONRPCProxy(params: .byPosition, prefix: "aria2.")
public protocol Aria2RPC: Sendable {
    // MARK: Downloads

    func addUri(_ uris: [String], options: [String: String]?, position: Int?) async throws -> GID
    func addTorrent(_ base64: String, uris: [String]?, options: [String: String]?, position: Int?) async throws -> GID
    func addMetalink(_ base64: String, options: [String: String]?, position: Int?) async throws -> [GID]
    func remove(_ gid: GID) async throws -> GID
    func forceRemove(_ gid: GID) async throws -> GID
    func pause(_ gid: GID) async throws -> GID
    func pauseAll() async throws -> String
    func forcePause(_ gid: GID) async throws -> GID
    func forcePauseAll() async throws -> String
    func unpause(_ gid: GID) async throws -> GID
    func unpauseAll() async throws -> String

    // MARK: Status

    func tellStatus(_ gid: GID, keys: [String]?) async throws -> DownloadStatus
    func tellActive(keys: [String]?) async throws -> [DownloadStatus]
    func tellWaiting(offset: Int, num: Int, keys: [String]?) async throws -> [DownloadStatus]
    func tellStopped(offset: Int, num: Int, keys: [String]?) async throws -> [DownloadStatus]
    func getUris(_ gid: GID) async throws -> [DownloadURI]
    func getFiles(_ gid: GID) async throws -> [DownloadFile]
    func getPeers(_ gid: GID) async throws -> [[String: String]]
    func getServers(_ gid: GID) async throws -> [JSONValue]

    // MARK: Options

    func changePosition(_ gid: GID, _ position: Int, how: Anchor) async throws -> Int
    func changeUri(_ gid: GID, fileIndex: Int, removing: [String], adding: [String], at: Int?) async throws -> [Int]
    func getOption(_ gid: GID) async throws -> [String: String]
    func changeOption(_ gid: GID, _ options: [String: String]) async throws -> String
    func getGlobalOption() async throws -> [String: String]
    func changeGlobalOption(_ options: [String: String]) async throws -> String

    // MARK: aria2 itself

    func getGlobalStat() async throws -> GlobalStatus
    func purgeDownloadResult() async throws -> String
    func removeDownloadResult(_ gid: GID) async throws -> String
    func getVersion() async throws -> ProgramVersion
    func getSessionInfo() async throws -> SessionInfo
    func saveSession() async throws -> String
    func shutdown() async throws -> String
    func forceShutdown() async throws -> String
    @RPC("system.multicall") func multicall(_ calls: [MethodCall]) async throws -> [JSONValue]
    @RPC("system.listMethods") func listMethods() async throws -> [String]
    @RPC("system.listNotifications") func listNotifications() async throws -> [String]

    // MARK: Notifications

    @RPCNotificationStream var onDownloadStart: NotificationStream<[DownloadEvent]> { get }
    @RPCNotificationStream var onDownloadPause: NotificationStream<[DownloadEvent]> { get }
    @RPCNotificationStream var onDownloadStop: NotificationStream<[DownloadEvent]> { get }
    @RPCNotificationStream var onDownloadComplete: NotificationStream<[DownloadEvent]> { get }
    @RPCNotificationStream var onDownloadError: NotificationStream<[DownloadEvent]> { get }
    @RPCNotificationStream var onBtDownloadComplete: NotificationStream<[DownloadEvent]> { get }
}

/// Default values. A protocol cannot have them.
extension Aria2RPC {
    public func addUri(_ uris: [String], options: [String: String]? = nil) async throws -> GID {
        try await addUri(uris, options: options, position: nil)
    }

    public func tellStatus(_ gid: GID) async throws -> DownloadStatus { try await tellStatus(gid, keys: nil) }

    public func tellActive() async throws -> [DownloadStatus] { try await tellActive(keys: nil) }

    public func tellWaiting() async throws -> [DownloadStatus] {
        try await tellWaiting(offset: 0, num: 1000, keys: nil)
    }

    public func tellStopped() async throws -> [DownloadStatus] {
        try await tellStopped(offset: 0, num: 1000, keys: nil)
    }
}
