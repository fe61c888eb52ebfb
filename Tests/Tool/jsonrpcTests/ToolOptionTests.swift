// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

/// Options and messages of the tool, seen from outside.
@Suite(.inTurn(within: .seconds(60))) struct ToolOptionTests {
    private let result = #"{"jsonrpc":"2.0","id":1,"result":1}"#

    // MARK: Defects 12 and 16

    @Test func pingIntervalIsAnOption() async throws {
        let peer = try RawPeer { [result] socket in
            try socket.acceptUpgrade()
            _ = try socket.readFrame()
            let ping = try socket.readFrame()
            try socket.send(ToolScripts.text(result))
            _ = try? socket.answerClose()
            return ping?.opcode
        }
        let run = try await ToolRun.run(["call", peer.url, "m", "--ping-interval", "50ms"])
        #expect(run.status == 0)
        #expect(try await peer.outcome() == RawFrame.Opcode.ping)
    }

    @Test func answerAnswersThePeersCalls() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run([
                "call", url, "callback", "greet", "--answer", #"greet={"hello": 1}"#, "--answer", "other=word",
                "--compact",
            ])
            #expect(run.status == 0)
            #expect(run.output == "{\"hello\":1}\n")
            let input = #"{"method":"callback","params":["other"]}"#
            let batch = try await ToolRun.run(["batch", url, "--answer", "other=word"], input: input)
            #expect(batch.output == #"{"jsonrpc":"2.0","id":1,"result":"word"}"# + "\n")
            let unknown = try await ToolRun.run(["call", url, "callback", "greet"])
            #expect(unknown.status == 1)
            #expect(unknown.diagnostics.contains("-32601"))
        }
    }

    // MARK: Defect 18

    @Test func aMessageOverTheLimitNamesLimitAndOption() async throws {
        let peer = try ToolScripts.peer(
            sending: #"{"jsonrpc":"2.0","id":1,"result":"\#(String(repeating: "x", count: 2000))"}"#)
        let run = try await ToolRun.run(["call", peer.url, "m", "--max-message-size", "1000"])
        #expect(run.status == 6)
        #expect(
            run.diagnostics
                == "jsonrpc: The peer sent a message larger than 1000 bytes. Raise --max-message-size to accept it.\n"
        )
        _ = try? await peer.outcome()
    }

    @Test func theTraceNamesNoOptionOfTheLibrary() async throws {
        let peer = try ToolScripts.peer(sending: String(repeating: "1", count: 2000))
        let run = try await ToolRun.run(["call", peer.url, "m", "-v", "--max-message-size", "1000"])
        #expect(run.diagnostics.contains(", A message is larger than 1000 bytes.\n"), "\(run.diagnostics)")
        #expect(!run.diagnostics.contains("maximumMessageBytes"))
        _ = try? await peer.outcome()
    }

    @Test func nullDataOfAnErrorObjectIsShown() async throws {
        let peer = try ToolScripts.peer(
            sending: #"{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"m","data":null}}"#)
        let run = try await ToolRun.run(["call", peer.url, "m", "--compact"])
        #expect(run.status == 1)
        #expect(run.diagnostics == #"{"code":3,"message":"m","data":null}"# + "\n")
        _ = try await peer.outcome()
    }

    @Test func verboseShowsTheSubprotocol() async throws {
        let peer = try ToolScripts.peer(adding: ["Sec-WebSocket-Protocol: mcp"], sending: result)
        let run = try await ToolRun.run(["call", peer.url, "m", "-v", "--subprotocol", "mcp"])
        #expect(run.status == 0)
        #expect(run.diagnostics.split(separator: "\n").first == "* connected, no TLS, subprotocol mcp")
        _ = try await peer.outcome()
    }

    @Test func verboseShowsTheVersionOfTLS() async throws {
        let certificates = try await Certificates.shared()
        try await ToolRun.withServer(identity: certificates[.server]) { url in
            let run = try await ToolRun.run(["call", url, "add", "1", "2", "-v", "--insecure"])
            #expect(run.diagnostics.split(separator: "\n").first == "* connected, TLSv1.3, no subprotocol")
        }
    }

    @Test func serveRefusesPagesUnlessTheirOriginIsAllowed() async throws {
        let call = ["-H", "Origin: https://app.example", "--timeout", "30"]
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["call", url, "add", "1"] + call)
            #expect(run.status != 0)
            #expect(run.diagnostics.contains("403"))
        }
        try await ToolRun.withServer(options: ["--allow-origin", "https://app.example"]) { url in
            let run = try await ToolRun.run(["call", url, "add", "1"] + call)
            #expect(run.output == "1\n")
        }
    }

    @Test func compressedMessagesAreReadWhereTheyAreOffered() async throws {
        // {"jsonrpc":"2.0","id":1,"result":"Hello"} in a stored block (RFC 7692 §7.2.3.3).
        let text = Array(#"{"jsonrpc":"2.0","id":1,"result":"Hello"}"#.utf8)
        let length = UInt8(text.count)
        let block: [UInt8] = [0x00, length, 0x00, ~length, 0xFF] + text + [0x00]
        let frame = RawFrame(RawFrame.Opcode.text, block, reserved: 4).bytes
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade(adding: ["Sec-WebSocket-Extensions: permessage-deflate"])
            _ = try socket.readFrame()
            try socket.send(frame)
            _ = try? socket.answerClose()
        }
        let run = try await ToolRun.run(["call", peer.url, "m", "--compression"])
        #expect(run.output == "\"Hello\"\n")
        _ = try await peer.outcome()
    }

    @Test func aPageThatRefusesTheUpgradeIsCut() async throws {
        let style = String(repeating: "p { color: red }\n", count: 60)
        let page =
            "<!DOCTYPE html>\n<html><head><title>403 Forbidden</title><style>\(style)</style></head>\n"
            + "<body><h1>Forbidden</h1>\(String(repeating: "<p>You may not.</p>\n", count: 100))</body></html>\n"
        let peer = try ToolScripts.peer(
            answering: "HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\n\r\n"
                + page)
        let run = try await ToolRun.run(["call", peer.url, "m"])
        #expect(run.status == 3)
        #expect(run.diagnostics.contains("403 Forbidden Forbidden You may not."))
        #expect(run.diagnostics.utf8.count < 400)
        #expect(run.diagnostics.split(separator: "\n").count == 1)
        _ = try await peer.outcome()
    }

    // MARK: Defect 19

    @Test func aNegativeNumberIsAParam() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["call", url, "echo", "-1", "-2.5e3", "--compact", "-7"])
            #expect(run.status == 0)
            #expect(run.output == "[-1,-2.5e3,-7]\n")
        }
    }

    @Test func anotherDashIsAnOptionAndTheHintSaysSo() async throws {
        let run = try await ToolRun.run(["call", "ws://127.0.0.1:1", "m", "-x"])
        #expect(run.status == 2)
        #expect(run.diagnostics.contains("To send a param that begins with a dash, put -- before the params."))
    }

    @Test(arguments: [("cal", "call"), ("lisen", "listen"), ("btach", "batch")])
    func aMistypedCommandGetsASuggestion(_ word: String, _ command: String) async throws {
        let run = try await ToolRun.run([word, "ws://127.0.0.1:1/", "m"])
        #expect(run.status == 2)
        #expect(run.diagnostics.contains("Unknown command '\(word)'. Did you mean '\(command)'?"))
    }

    @Test func hostAndPortAreAURLAndTheEnvironmentMayHoldIt() async throws {
        try await ToolRun.withServer { url in
            let address = String(url.dropFirst("ws://".count).dropLast())
            #expect(try await ToolRun.run(["call", address, "add", "1", "2"]).output == "3\n")
            let environment = ["JSONRPC_URL": address]
            for arguments in [["call", "add", "1", "2"], ["call", "add", "1", "2", "-H", "X-Two: b"]] {
                #expect(try await ToolRun.run(arguments, environment: environment).output == "3\n")
            }
            let batch = try await ToolRun.run(["batch"], input: #"{"method":"echo"}"#, environment: environment)
            #expect(batch.output == #"{"jsonrpc":"2.0","id":1,"result":null}"# + "\n")
            // A URL on the command line takes precedence over that of the environment.
            let other = try await ToolRun.run(["call", url, "add", "1"], environment: ["JSONRPC_URL": "127.0.0.1:1"])
            #expect(other.output == "1\n")
        }
    }

    @Test func withoutAnyURLTheMessageSaysHowToGiveOne() async throws {
        let run = try await ToolRun.run(["call", "subtract", "42", "23"])
        #expect(run.status == 2)
        #expect(run.diagnostics.hasPrefix("jsonrpc: 'subtract' is not a URL."))
        #expect(run.diagnostics.contains("JSONRPC_URL"))
    }

    @Test func headerFieldsComeFromAFile() async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "fields").path(percentEncoded: false)
        try Data("Authorization: Bearer a:b\r\n\nX-Two: 2\n".utf8).write(to: URL(filePath: path))
        let peer = try RawPeer { [result] socket in
            let head = try socket.acceptUpgrade()
            _ = try socket.readFrame()
            try socket.send(ToolScripts.text(result))
            _ = try? socket.answerClose()
            return head
        }
        let run = try await ToolRun.run(["call", peer.url, "m", "-H", "@\(path)", "-HX-Three: 3"])
        #expect(run.status == 0)
        let head = try await peer.outcome()
        #expect(RawSocket.field("Authorization", in: head) == "Bearer a:b")
        #expect(RawSocket.field("X-Two", in: head) == "2")
        #expect(RawSocket.field("X-Three", in: head) == "3")

        try Data("X-Good: 1\nsecret without colon\n".utf8).write(to: URL(filePath: path))
        let bad = try await ToolRun.run(["call", "ws://127.0.0.1:1/", "m", "-H", "@\(path)"])
        #expect(bad.status == 2)
        #expect(bad.diagnostics.contains("line 2 is not a header field"))
        #expect(!bad.diagnostics.contains("secret"))
    }

    @Test func aPartOfTheResultIsPrinted() async throws {
        try await ToolRun.withServer { url in
            let call = ["call", url, "echo", #"{"a b":["x",{"n":1.50}]}"#, "--compact", "--get"]
            #expect(try await ToolRun.run(call + [#"[0]["a b"][1].n"#]).output == "1.50\n")
            #expect(try await ToolRun.run(call + [#"[0]["a b"][0]"#]).output == "\"x\"\n")
            let absent = try await ToolRun.run(call + ["[0].version"])
            #expect(absent.status == 8)
            #expect(absent.output == "")
            #expect(
                absent.diagnostics == #"jsonrpc: The result has no [0].version: [0] is an object with ["a b"]."# + "\n")
            let failed = try await ToolRun.run(["call", url, "fail", "7", "--get", ".a"])
            #expect(failed.status == 1)
        }
        let run = try await ToolRun.run(["call", "ws://127.0.0.1:1/", "m", "--get", "version"])
        #expect(run.status == 2)
        #expect(run.diagnostics.contains("Could not read --get from character 1 on."))
    }

    @Test func colorsAreAnOption() async throws {
        try await ToolRun.withServer { url in
            let arguments = ["call", url, "echo", #"{"a":["b",1]}"#, "--compact"]
            let colored = try await ToolRun.run(arguments + ["--color", "always"])
            #expect(
                colored.output
                    == "[{\u{1B}[34m\"a\"\u{1B}[0m:[\u{1B}[32m\"b\"\u{1B}[0m,\u{1B}[33m1\u{1B}[0m]}]\n")
            #expect(try await ToolRun.run(arguments).output == "[{\"a\":[\"b\",1]}]\n")
            #expect(try await ToolRun.run(arguments + ["--color", "never"]).output == "[{\"a\":[\"b\",1]}]\n")
        }
    }

    @Test func aTerminalHasColorsUnlessTheEnvironmentForbidsThem() async throws {
        try await ToolRun.withServer { url in
            // script(1) gives the program a terminal.
            let arguments = ["-qec", "'\(ToolRun.program)' call \(url) echo 1 --compact", "/dev/null"]
            let colored = try await ToolRun.run(
                program: "script", arguments, environment: ["TERM": "xterm", "NO_COLOR": ""])
            #expect(colored.output == "[\u{1B}[33m1\u{1B}[0m]\r\n")
            for environment in [["TERM": "xterm", "NO_COLOR": "1"], ["TERM": "dumb", "NO_COLOR": ""]] {
                let plain = try await ToolRun.run(program: "script", arguments, environment: environment)
                #expect(plain.output == "[1]\r\n")
            }
        }
    }

    // MARK: Defect 21

    @Test func serveRefusesCallsBeyondItsLimit() async throws {
        try await ToolRun.withServer(options: ["--max-calls", "2"]) { url in
            let input = String(repeating: "{\"method\":\"sleep\",\"params\":[600]}\n", count: 3)
            let run = try await ToolRun.run(["batch", url, "--timeout", "2"], input: input)
            #expect(run.status == 4)
            #expect(run.sortedLines.filter { $0.contains("-32000") }.count == 1)
            #expect(run.sortedLines.filter { $0.contains("\"timeout\"") }.count == 2)
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func completionsAreDocumentedAndPrinted(_ shell: String) async throws {
        #expect(try await ToolRun.run(["--help"]).output.contains("--generate-completion-script"))
        let script = try await ToolRun.run(["--generate-completion-script", shell])
        #expect(script.status == 0)
        #expect(script.output.contains("ping-interval"))
    }
}
