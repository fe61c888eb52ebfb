// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The grammar of one line of a text script.
enum ScriptLine {
    struct Fault: Error {
        var expected: String
        var instead: String
    }

    /// Returns the action of a line; `nil` for an empty line and a comment.
    static func action(of line: Substring) throws(Fault) -> PeerScript.Step.Action? {
        let text = trimmed(line)
        if text.isEmpty || text.hasPrefix("#") { return nil }
        if text.hasPrefix("-->") { return try expectation(text.dropFirst(3)) }
        let words = text.split(separator: " ", maxSplits: 2).map(String.init)
        switch words.first {
        case "<--", "truncate", "binary", "fragmented": return try sending(text)
        case "send":
            let exact = trimmed(text.dropFirst(4))
            guard !exact.isEmpty else { throw Fault(expected: "a text after send", instead: "the line is \(text)") }
            return .send(MessageTemplate(exactly: String(exact)), PeerScript.Form())
        case "wait": return .wait(try duration(trimmed(text.dropFirst(4))))
        case "close": return try closing(words, text)
        case "drop" where words.count == 1: return .drop
        case "connect" where words.count == 1: return .connect
        case "stop" where text == "stop reading": return .setReading(false)
        case "start" where text == "start reading": return .setReading(true)
        case _ where text.hasPrefix("<--"): return try sending(text)
        default:
            throw Fault(
                expected: "-->, <--, send, truncate, binary, fragmented, wait, close, drop, connect, stop reading or "
                    + "start reading", instead: "the line is \(text)")
        }
    }

    private static func expectation(_ text: Substring) throws(Fault) -> PeerScript.Step.Action {
        do throws(JSONSyntaxError) {
            let message = try JSONValue(parsing: String(text))
            return .expect(MessagePattern(message: message), shown: "\(message)")
        } catch {
            throw Fault(
                expected: "JSON after -->", instead: "\(error.reason) at column \(error.column) of the text after -->")
        }
    }

    private static func sending(_ line: Substring) throws(Fault) -> PeerScript.Step.Action {
        var form = PeerScript.Form()
        var rest = line
        while !rest.hasPrefix("<--") {
            let word = rest.prefix { $0 != " " }
            rest = trimmed(rest.dropFirst(word.count))
            switch word {
            case "binary": form.isBinary = true
            case "fragmented": form.isFragmented = true
            case "truncate":
                let number = rest.prefix { $0 != " " }
                guard let count = Int(number), count >= 0 else {
                    throw Fault(expected: "a number of bytes after truncate", instead: "the line is \(line)")
                }
                form.maximumBytes = count
                rest = trimmed(rest.dropFirst(number.count))
            default: throw Fault(expected: "<-- and a message", instead: "the line is \(line)")
            }
        }
        let message = trimmed(rest.dropFirst(3))
        guard !message.isEmpty else { throw Fault(expected: "a message after <--", instead: "the line is \(line)") }
        return .send(MessageTemplate(completing: String(message)), form)
    }

    private static func closing(_ words: [String], _ text: Substring) throws(Fault) -> PeerScript.Step.Action {
        guard words.count > 1, let code = UInt16(words[1]) else {
            throw Fault(expected: "a close code after close", instead: "the line is \(text)")
        }
        let reason = words.count > 2 ? words[2] : ""
        if reason.hasPrefix("\""), case .string(let quoted)? = try? JSONValue(parsing: reason) {
            return .close(code: code, reason: quoted)
        }
        return .close(code: code, reason: reason)
    }

    private static func duration(_ text: Substring) throws(Fault) -> Duration {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = trimmed(text.dropFirst(number.count))
        let seconds: [Substring: Double] = ["ms": 0.001, "s": 1, "min": 60]
        guard let factor = seconds[unit], let value = Double(number), value * factor <= 86_400 else {
            throw Fault(
                expected: "a duration of at most a day after wait, such as 5s, 250ms or 2min",
                instead: "it is \"\(text)\"")
        }
        return .milliseconds(Int((value * factor * 1000).rounded()))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" || last == "\r" { text.removeLast() }
        return text
    }
}
