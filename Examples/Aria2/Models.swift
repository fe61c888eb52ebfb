// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The id of a download: 16 hexadecimal digits, a string on the wire.
public struct GID: Codable, Hashable, Sendable, CustomStringConvertible {
    public var description: String

    public init(_ description: String) { self.description = description }

    public init(from decoder: any Decoder) throws {
        description = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The origin of a position.
public enum Anchor: String, Codable, Sendable {
    case beginning = "POS_SET"
    case current = "POS_CUR"
    case end = "POS_END"
}

/// The status of a download. aria2 leaves out keys that were not requested, and sends numbers as strings.
public struct DownloadStatus: Decodable, Sendable {
    public enum Phase: String, Decodable, Sendable {
        case active, waiting, paused, error, complete, removed
    }

    public var gid: GID
    public var status: Phase?
    public var totalLength: String?
    public var completedLength: String?
    public var errorCode: String?
    public var files: [DownloadFile]?
}

public struct DownloadFile: Decodable, Sendable {
    public var index: String
    public var path: String
    public var uris: [DownloadURI]
}

public struct DownloadURI: Decodable, Hashable, Sendable {
    public var uri: String
    public var status: String
}

public struct GlobalStatus: Decodable, Sendable {
    public var numActive: String
    public var numWaiting: String
    public var numStopped: String
    /// The bytes per second of all downloads.
    public var downloadSpeed: String
}

public struct ProgramVersion: Decodable, Sendable {
    public var version: String
    public var enabledFeatures: [String]
}

public struct SessionInfo: Decodable, Sendable {
    public var sessionId: String
}

public struct DownloadEvent: Decodable, Hashable, Sendable {
    public var gid: GID

    public init(gid: GID) { self.gid = gid }
}
