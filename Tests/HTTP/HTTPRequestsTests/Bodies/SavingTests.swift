// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import TestSupport
import TestTurns
import Testing

@Suite("Streams saved to files", .inTurn(within: .seconds(120)))
struct SavingTests {
    struct Fault: Error, Equatable {}

    static func contents(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }
    static func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    /// Waits until the thread that has written the last piece has released the temporary file.
    static func waitUntilOnly(_ names: [String], in folder: String) async throws {
        try await wait(folder) { $0 == names }
    }

    /// Waits until the names in a folder are as expected, or the test is cancelled.
    static func wait(_ folder: String, until isExpected: ([String]) -> Bool) async throws {
        try await yieldUntil("the names in the folder are as expected") { try isExpected(names(folder)) }
    }

    @Test func aStreamBecomesAFile() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/日本 file"
            let pieces = (0..<50).map { [UInt8](repeating: UInt8($0), count: 5000) }
            var saved = try await SplitStream(pieces).stream.save(toFile: path)
            #expect(saved == 250_000)
            #expect(try Self.contents(path) == Array(pieces.joined()))
            saved = try await HTTPByteStream([1, 2]).save(toFile: path, limit: 2)
            #expect(saved == 2)
            #expect(try Self.contents(path) == [1, 2])
            saved = try await HTTPByteStream([]).save(toFile: folder + "/empty")
            #expect(saved == 0)
            #expect(try Self.names(folder) == ["empty", "日本 file"])
        }
    }

    @Test func aFileIsWholeOrAsBefore() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/file"
            try Data([7]).write(to: URL(fileURLWithPath: path))
            await #expect(throws: Fault()) {
                try await SplitStream([[1, 2], [3]], failure: Fault()).stream.save(toFile: path)
            }
            await #expect(throws: HTTPBodyError.tooLargeToSave(limit: 2)) {
                try await SplitStream([[1, 2], [3]]).stream.save(toFile: path, limit: 2)
            }
            await #expect(throws: HTTPBodyError.tooLargeToSave(limit: 1)) {
                try await HTTPByteStream([1, 2]).save(toFile: path, limit: 1)
            }
            try await Self.waitUntilOnly(["file"], in: folder)
            #expect(try Self.contents(path) == [7])
        }
    }

    @Test func aCancelledTaskLeavesNoFile() async throws {
        try await withTemporaryDirectory { folder in
            let body = StreamHTTPBody(AsyncStream<[UInt8]> { $0.yield([1]) })
            let stream = try await body.buildEntity().makeStream()
            let task = Task { try await stream.save(toFile: folder + "/file") }
            try await Self.wait(folder) { !$0.isEmpty }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await Self.waitUntilOnly([], in: folder)
        }
    }

    @Test func aPathThatCannotBeWrittenIsAnError() async throws {
        try await withTemporaryDirectory { folder in
            try FileManager.default.createDirectory(atPath: folder + "/folder", withIntermediateDirectories: false)
            try Data([7]).write(to: URL(fileURLWithPath: folder + "/file"))
            for path in ["/folder", "/missing/x", "/file/x", "/folder/", "", "/x\u{0}"] {
                let error = await #expect(throws: HTTPBodyError.self) {
                    try await HTTPByteStream([1]).save(toFile: folder + path)
                }
                guard case .unwritableFile(let named, let reason) = error else {
                    Issue.record("\(path): \(String(describing: error))")
                    continue
                }
                #expect(named == folder + path)
                #expect(!reason.contains("error"))
            }
            let full = await #expect(throws: HTTPBodyError.self) { try await HTTPByteStream([1]).save(toFile: "") }
            #expect(full?.description.contains("does not name a file") == true)
            try await Self.waitUntilOnly(["file", "folder"], in: folder)
        }
    }
}
