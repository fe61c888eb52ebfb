// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Makes random documents as text. Many have something unusual.
struct CompoundDocumentGenerator {
    private var state: UInt64
    /// The number of unusual parts in a hundred.
    private let oddity: Int

    init(seed: UInt64, oddity: Int) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        self.oddity = oddity
    }

    mutating func number(below limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(truncatingIfNeeded: state >> 33) % limit
    }

    private mutating func pick(_ usual: [String], _ unusual: [String]) -> String {
        let choices = number(below: 100) < oddity ? unusual : usual
        return choices[number(below: choices.count)]
    }

    private mutating func object(_ members: [String?]) -> String {
        var members = members.compactMap { $0 }
        if number(below: 100) < oddity, let repeated = members.first { members.append(repeated) }
        if number(below: 8) == 0 { members.append(#""unknown":{"a":[1,{"b":null}]}"#) }
        return "{\(members.joined(separator: number(below: 10) == 0 ? " ,\n" : ","))}"
    }

    private mutating func maybe(_ text: (inout Self) -> String) -> String? { number(below: 3) == 0 ? nil : text(&self) }

    private let wrong = ["null", "1", "[]", "{}", "true", #""text""#, #""\ud800""#, #"[{"type":"x"}]"#]

    private mutating func type(_ usual: [String]) -> String {
        #"\#(pick([#""type""#], [#""t\u0079pe""#, #""kind""#])):\#(pick(usual, wrong + [#""p\u0065ople""#]))"#
    }

    private mutating func id() -> String {
        pick(
            [#""id":"\#(number(below: 6))""#],
            [#""id":7"#, #""id":null"#, #""lid":"a""#, #""lid":"1""#, #""i\u0064":"2""#])
    }

    private mutating func identifier() -> String {
        object([type([#""people""#, #""articles""#]), id(), maybe { $0.meta() }])
    }

    private mutating func meta() -> String { #""meta":\#(pick([#"{"n":1}"#, "{}"], wrong))"# }

    private mutating func links() -> String {
        let link = pick(
            [#""https:\/\/example.com\/1""#, #""/a""#, "null", #"{"href":"/b","meta":{}}"#], wrong + [#"{"rel":"x"}"#])
        let name = pick([#""self""#, #""related""#], [#""@x""#, #""a:b""#, #""s\u0065lf""#])
        return #""links":\#(pick([object(["\(name):\(link)", maybe { _ in #""next":"/n""# }])], wrong))"#
    }

    private mutating func relationship(_ name: String, isToMany: Bool) -> String {
        let linkage =
            isToMany ? "[\((0..<number(below: 3)).map { _ in identifier() }.joined(separator: ","))]" : identifier()
        let data = pick([linkage, "null"], wrong + ["[]", identifier()])
        let members = object([maybe { _ in "\"data\":\(data)" }, maybe { $0.links() }, maybe { $0.meta() }])
        return #""\#(pick([name], ["@\(name)", "x:\(name)", "title"]))":\#(pick([members], wrong))"#
    }

    private mutating func resource() -> String {
        let isPerson = number(below: 2) == 0
        let attributes =
            isPerson
            ? [
                maybe { #""name":\#($0.pick([#""Dan""#, #""D\u00e4n""#, "null"], $0.wrong))"# },
                maybe { #""age":\#($0.pick(["3", "-0", "1e1", "null"], $0.wrong + ["1.5", "99999999999999999999"]))"# },
            ]
            : [
                maybe { #""title":\#($0.pick([#""A""#, "null"], $0.wrong))"# },
                maybe { #""isPublic":\#($0.pick(["true", "false"], $0.wrong))"# },
                maybe { #""created":\#($0.pick([#""2026-01-31T12:00:00Z""#], $0.wrong))"# },
                maybe { #""size":\#($0.pick([#"{"width":4}"#], $0.wrong))"# },
                maybe { #""mainTag":\#($0.pick([#"{"tagName":"t"}"#], $0.wrong))"# },
                maybe { #""t\u0069tle":\#($0.pick([#""B""#], $0.wrong))"# },
            ]
        let relationships =
            isPerson
            ? [maybe { $0.relationship("favoriteArticle", isToMany: false) }]
            : [
                maybe { $0.relationship("authors", isToMany: true) },
                maybe { $0.relationship("editor", isToMany: false) },
            ]
        return object([
            type([isPerson ? #""people""# : #""articles""#]), id(),
            maybe { #""attributes":\#($0.pick([$0.object(attributes)], $0.wrong))"# },
            maybe { #""relationships":\#($0.pick([$0.object(relationships)], $0.wrong))"# }, maybe { $0.links() },
            maybe { $0.meta() },
        ])
    }

    private mutating func resources() -> String {
        "[\((0..<number(below: 5)).map { _ in resource() }.joined(separator: ","))]"
    }

    mutating func document() -> String {
        let data = pick([resources(), resource(), "null"], wrong)
        return object([
            maybe { _ in "\"data\":\(data)" }, maybe { #""included":\#($0.pick([$0.resources()], $0.wrong))"# },
            maybe { $0.links() }, maybe { $0.meta() },
            number(below: 100) < oddity ? #""errors":[{"status":"500"}]"# : nil,
            maybe { #""jsonapi":\#($0.pick([#"{"version":"1.1"}"#], $0.wrong))"# },
        ])
    }
}
