// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax

/// The attributes that configure a method. A method has at most one of them.
enum RequirementMark: String, CaseIterable {
    case call = "RPC"
    case notification = "RPCNotification"
    case subscription = "RPCSubscription"

    static let allNames = allCases.map(\.rawValue)

    /// What the attribute makes of a method.
    var kind: String {
        switch self {
        case .call: "a call"
        case .notification: "a notification"
        case .subscription: "a subscription"
        }
    }
}

/// Checks that a method has at most one of the attributes.
struct MarkReader {
    private let function: FunctionDeclSyntax
    private let sink: DiagnosticSink

    init(_ function: FunctionDeclSyntax, _ sink: DiagnosticSink) {
        self.function = function
        self.sink = sink
    }

    func check() -> Bool {
        let marks = RequirementMark.allCases.compactMap { mark in
            function.attributes.first(mark.rawValue).map { (attribute: $0, kind: mark.kind) }
        }
        guard let first = marks.first, let second = marks.dropFirst().first else { return true }
        sink.error(
            "bothAttributes", "a method is \(first.kind) or \(second.kind), not both", at: second.attribute,
            repairs: [second.attribute, first.attribute].map { mark in
                let rest = function.attributes.removing([mark.plainName])
                let unmarked = function.with(\.attributes, rest).with(\.leadingTrivia, function.leadingTrivia)
                return Repair("remove '@\(mark.plainName)'", replace: function, by: unmarked)
            })
        return false
    }
}
