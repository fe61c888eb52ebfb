// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

@Suite(.serialized, .inTurn(within: .seconds(60)))
struct PeerProcessTests {
    @Test func aMissingProgramIsAFailureWhichSaysWhatToDo() {
        #expect {
            _ = try PeerProcess("no-such-program-anywhere", [])
        } throws: {
            "\($0)".contains("no-such-program-anywhere is not installed: run Scripts/install-test-peers.sh")
        }
    }

    @Test func aProgramThatEndsBeforeItIsReadyIsAFailureWithItsLog() async throws {
        let program = try PeerProcess("sh", ["-c", "echo cannot bind >&2; exit 7"])
        let failure = await #expect(throws: PeerFailure.self) { try await program.line(containing: "ready") }
        #expect(failure?.description.contains("ended with status 7") == true)
        #expect(failure?.description.contains("cannot bind") == true)
    }

    @Test func linesAlreadyWrittenAndLinesToComeAreBothFound() async throws {
        let program = try PeerProcess("sh", ["-c", "echo one; echo two >&2; read go; printf three"])
        #expect(try await program.line(containing: "two") == "two")
        #expect(try await program.line(containing: "one") == "one")
        program.closeInput()
        #expect(try await program.line(containing: "three") == "three", "an unfinished last line counts as one")
        #expect(try await program.exitStatus() == 0)
    }

    @Test func aStoppedProgramHasTheSignalAsItsStatus() async throws {
        let program = try PeerProcess("cat", [])
        await program.stop()
        #expect(try await program.exitStatus() == -SIGKILL)
    }

    @Test func stoppingEndsWhatTheProgramStartedToo() async throws {
        let program = try PeerProcess("sh", ["-c", "tail -f /dev/null & echo child $!; wait"])
        let child = try pid_t(lastNumber(in: await program.line(containing: "child ")))
        #expect(kill(child, 0) == 0)
        await program.stop()
        // The output ends when all its writers have ended. Only then does this wait fail.
        await #expect(throws: PeerFailure.self) { try await program.line(containing: "never written") }
    }

    @Test func waitingForALineCanBeCancelled() async throws {
        let program = try PeerProcess("cat", [])
        let waiting = Task { try await program.line(containing: "never") }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await program.stop()
    }

    @Test func aReservedPortCanBeListenedOnAndIsGivenOnce() async throws {
        let ports = try (0..<32).map { _ in try LoopbackPort.reserve() }
        #expect(Set(ports).count == ports.count)
        let listening = try PeerProcess(
            Checkout.python,
            [
                "-c",
                "import socket; s = socket.create_server(('127.0.0.1', \(ports[0]))); print('bound', flush=True); s.accept()",
            ]
        )
        #expect(try await listening.line(containing: "bound") == "bound")
        await listening.stop()
    }

    @Test(arguments: [PythonPeer.languageServer, PythonPeer.modelContextServer, PythonPeer.websockets])
    func pythonPeersSayWhereTheyListenAndEndWithTheirInput(script: String) async throws {
        try await PythonPeer.run(script) { url, peer in
            let port = try #require(URL(string: url)?.port)
            #expect(port > 0)
            // Programs also see this when this process ends, however it ends.
            peer.closeInput()
            #expect(try await peer.exitStatus() == 0)
        }
    }
}
