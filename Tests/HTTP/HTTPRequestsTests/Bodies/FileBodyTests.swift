// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import TestSupport
import TestTurns
import Testing

@Suite("Bodies from files", .inTurn(within: .seconds(120)))
struct FileBodyTests {
    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 300_000])
    func aFileIsReadInPieces(size: Int) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/data.bin"
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try Self.write(bytes, to: path)
            let entity = try FileHTTPBody(path: path).buildEntity()
            #expect(entity.isReplayable)
            #expect(entity.length == Int64(size))
            for _ in 0..<2 {
                let stream = try await entity.makeStream()
                #expect(stream.length == Int64(size))
                var read: [UInt8] = []
                for try await piece in stream {
                    #expect(!piece.isEmpty && piece.count <= 65_536)
                    read += piece
                }
                #expect(read == bytes)
            }
        }
    }

    @Test func theContentTypeFollowsFromTheName() {
        let cases = [
            ("/a/photo.JPG", "image/jpeg"), ("x.json", "application/json"), ("x.tar.gz", "application/gzip"),
            ("/a.png/b", "application/octet-stream"), ("x.unknown", "application/octet-stream"),
            (".html", "application/octet-stream"), ("x.", "application/octet-stream"), ("", "application/octet-stream"),
            (".config.yaml", "application/yaml"), ("日本.pdf", "application/pdf"),
        ]
        for (path, type) in cases { #expect(FileHTTPBody(path: path).contentType == type) }
        #expect(FileHTTPBody(path: "x.json", contentType: "text/x").contentType == "text/x")
    }

    @Test func aPathWithoutAReadableFileFailsToBuild() async throws {
        try await withTemporaryDirectory { folder in
            try Self.write([1], to: folder + "/file")
            try FileManager.default.createSymbolicLink(atPath: folder + "/loop", withDestinationPath: folder + "/loop")
            #expect(mkfifo(folder + "/pipe", 0o600) == 0)
            let missing = ["/missing", "/file/below", "/file\u{0}"].map { folder + $0 } + ["", "\u{0}"]
            for path in missing {
                #expect(throws: HTTPBodyError.fileNotFound(path: path)) { try FileHTTPBody(path: path).buildEntity() }
            }
            for path in [folder, folder + "/", folder + "/pipe", "/dev/null"] {
                #expect(throws: HTTPBodyError.notARegularFile(path: path)) {
                    try FileHTTPBody(path: path).buildEntity()
                }
            }
            for path in [folder + "/loop", folder + "/" + String(repeating: "n", count: 300)] {
                let error = #expect(throws: HTTPBodyError.self) { try FileHTTPBody(path: path).buildEntity() }
                guard case .unreadableFile(path, let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(!reason.isEmpty)
            }
        }
    }

    @Test func aFileThatIsGoneFailsTheStream() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/file"
            try Self.write([1], to: path)
            let entity = try FileHTTPBody(path: path).buildEntity()
            try FileManager.default.removeItem(atPath: path)
            #expect(entity.length == nil)
            await #expect(throws: HTTPBodyError.fileNotFound(path: path)) { try await entity.makeStream() }
        }
    }

    @Test func aFileThatShrinksOrGrowsIsAnError() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/file"
            let size = 200_000
            for newSize in [0, 70_000, size - 1, size + 1, 2 * size] {
                try Self.write([UInt8](repeating: 1, count: size), to: path)
                var iterator = try await FileHTTPBody(path: path).buildEntity().makeStream().makeAsyncIterator()
                var received = try #require(try await iterator.next()).count
                #expect(truncate(path, newSize) == 0)
                let error = await #expect(throws: HTTPBodyError.self) {
                    while let piece = try await iterator.next() { received += piece.count }
                }
                if newSize < size {
                    #expect(error == .tooFewBytes(announced: Int64(size), produced: Int64(received)))
                } else {
                    #expect(error == .tooManyBytes(announced: Int64(size)))
                    #expect(received == size)
                }
            }
        }
    }

    @Test func aStreamThatIsReleasedClosesItsFile() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/only-here"
            try Self.write([UInt8](repeating: 1, count: 200_000), to: path)
            func isOpen() throws -> Bool {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains { name in
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == path
                }
            }
            do {
                var iterator = try await FileHTTPBody(path: path).buildEntity().makeStream().makeAsyncIterator()
                _ = try await iterator.next()
                #expect(try isOpen())
            }
            // The thread that read the last piece may hold the file for a moment.
            try await yieldUntil("the file is closed") { try !isOpen() }
        }
    }
}
