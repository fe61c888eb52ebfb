// swift-jsonrpc · SPDX-License-Identifier: MIT

import LoadTester
import TestTurns
import Testing

@testable import jsonrpc

@Suite(.inTurn) struct BenchConditionsTests {
    @Test(arguments: [
        (["ws://h", "m", "[1]", "-1"], "ws://h m '[1]' -1"),
        (["ws://user:secret@h/?token=secret", "m"], "'ws://***@h/?***' m"),
        (["localhost:80/?secret#secret", "m"], "'localhost:80/?***' m"),
        (["ws://h", "m", "-H", "Authorization: secret"], "ws://h m -H 'Authorization: ***'"),
        (["ws://h", "m", "-vHX-Key:secret", "-H", "@file"], "ws://h m '-vHX-Key: ***' -H @file"),
        (["ws://h", "m", "-vH", "X: secret"], "ws://h m -vH 'X: ***'"),
        (["ws://h", "m", "--header=X: secret"], "ws://h m '--header=X: ***'"),
        (
            ["ws://h", "m", "--extra", "auth=secret", "--extra=auth=secret"],
            "ws://h m --extra 'auth=***' '--extra=auth=***'"
        ),
        (["ws://h", "m", "--proxy", "http://u:secret@p:1"], "ws://h m --proxy '***@p:1'"),
        (["ws://h", "m", "--proxy=u:secret@p:1"], "ws://h m '--proxy=***@p:1'"),
        (["ws://h", "m", "--proxy", "u:se/c@r://et@p:1"], "ws://h m --proxy '***@p:1'"),
        (["ws://h", "m", "--proxy", "p:1/?secret"], "ws://h m --proxy 'p:1/?***'"),
        (["ws://h", "m", "--bearer", "secret", "--user=a:secret"], "ws://h m --bearer '***' '--user=***'"),
        (["ws://h", "m", "--bearer", "@file", "--user=@env:U"], "ws://h m --bearer @file --user=@env:U"),
        (["ws://h", "m", "-H", "X-Key=@env:K", "-H", "secret"], "ws://h m -H X-Key=@env:K -H '***'"),
        (["http://h", "m", "--as-batch", "--params", "it's"], #"http://h m --as-batch --params 'it'\''s'"#),
    ])
    func theCommandLineHasNoSecrets(_ arguments: [String], _ expected: String) {
        #expect(BenchConditions.commandLine(["bench"] + arguments) == "jsonrpc bench \(expected)")
    }

    @Test(
        arguments: [(0, "1970-01-01 00:00:00 UTC"), (1_700_000_000.9, "2023-11-14 22:13:20 UTC")] as [(Double, String)])
    func timesAreInUTC(_ seconds: Double, _ text: String) { #expect(SystemTime.text(seconds) == text) }
}
