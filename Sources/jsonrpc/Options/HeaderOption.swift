// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser

/// `Name: value`, as curl's `-H` takes it.
struct HeaderOption: Equatable, Sendable, ExpressibleByArgument {
    var name: String
    var value: String

    init?(argument: String) {
        guard let colon = argument.firstIndex(of: ":") else { return nil }
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        name = String(argument[..<colon])
        value = String(argument[argument.index(after: colon)...].drop(while: isBlank))
        guard !name.isEmpty, !name.contains(where: isBlank) else { return nil }
    }
}

/// `name=value`, where the value is JSON or a bare word.
struct ExtraMemberOption: Equatable, Sendable, ExpressibleByArgument {
    var name: String
    /// As it was written; read by ``ParamWords/value(_:)``.
    var value: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
        name = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }
}

/// Which JSON-RPC the peer speaks.
enum VersionOption: String, Sendable, ExpressibleByArgument, CaseIterable {
    /// The `jsonrpc` member is sent and expected.
    case two = "2.0"
    /// It is left out, and need not come.
    case none
}
