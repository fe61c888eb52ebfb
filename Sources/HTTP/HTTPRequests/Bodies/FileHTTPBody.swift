// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A body that is read from a file while it is sent.
///
/// The request fails if the size of the file changes before it is sent. The body can be sent again.
public struct FileHTTPBody: HTTPBody, Hashable {
    /// The path, absolute or relative to the current directory.
    public var path: String
    /// The value of `Content-Type`; `nil` for none.
    public var contentType: String?

    /// Makes a body of a file.
    ///
    /// - Parameters:
    ///   - path: The path, absolute or relative to the current directory.
    ///   - contentType: The value of `Content-Type`. The default follows from the extension of the name, and is
    ///     `application/octet-stream` for an unknown extension.
    public init(path: String, contentType: String? = nil) {
        self.path = path
        self.contentType = contentType ?? FileExtensions.contentType(ofPath: path)
    }

    /// Makes the content. The file is opened once to see whether it can be read.
    ///
    /// - Throws: An ``HTTPBodyError`` if there is no regular file that can be read.
    public func buildEntity() throws -> HTTPBodyEntity {
        _ = try FileByteSource.size(ofFileAt: path)
        return HTTPBodyEntity(contentType: contentType, content: .file(path: path))
    }
}

/// The media types of common files.
enum FileExtensions {
    private static let types = [
        "aac": "audio/aac", "avif": "image/avif", "bin": "application/octet-stream", "bmp": "image/bmp",
        "bz2": "application/x-bzip2", "css": "text/css", "csv": "text/csv", "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "epub": "application/epub+zip", "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip",
        "heic": "image/heic", "htm": "text/html", "html": "text/html", "ico": "image/vnd.microsoft.icon",
        "ics": "text/calendar", "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript",
        "json": "application/json", "jsonl": "application/x-ndjson", "m4a": "audio/mp4", "md": "text/markdown",
        "mjs": "text/javascript", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
        "mpeg": "video/mpeg", "ndjson": "application/x-ndjson",
        "odp": "application/vnd.oasis.opendocument.presentation",
        "ods": "application/vnd.oasis.opendocument.spreadsheet", "odt": "application/vnd.oasis.opendocument.text",
        "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg", "opus": "audio/ogg", "otf": "font/otf",
        "pb": "application/protobuf", "pdf": "application/pdf", "png": "image/png",
        "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "rtf": "application/rtf", "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff",
        "tiff": "image/tiff", "toml": "application/toml", "torrent": "application/x-bittorrent", "ttf": "font/ttf",
        "txt": "text/plain", "wasm": "application/wasm", "wav": "audio/wav", "weba": "audio/webm",
        "webm": "video/webm", "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2",
        "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
        "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip", "zst": "application/zstd",
    ]

    static func name(ofPath path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }

    static func contentType(ofPath path: String) -> String {
        let parts = name(ofPath: path).split(separator: ".", omittingEmptySubsequences: false)
        // The dot at the start of a hidden file begins no extension.
        guard parts.count > 2 || (parts.count == 2 && !parts[0].isEmpty), let last = parts.last else {
            return "application/octet-stream"
        }
        return types[last.lowercased()] ?? "application/octet-stream"
    }
}
