// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax
import SwiftSyntaxBuilder

/// Reads a property of the protocol.
struct StreamReader {
    let variable: VariableDeclSyntax
    let options: ProtocolOptions
    let sink: DiagnosticSink

    func read() -> StreamRequirement? {
        guard let binding = variable.bindings.first, let type = binding.typeAnnotation?.type,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else { return nil }  // The compiler reports it.
        let name = pattern.identifier
        if let modifier = variable.modifiers.first("static", "class") {
            sink.error(
                "a proxy calls by an instance: a \(modifier.name.text) property cannot be a stream", at: modifier,
                Repair(removing: modifier, from: variable))
            return nil
        }
        let element = type.firstArgument(of: "NotificationStream")?.trimmedDescription
        guard let attribute = variable.attributes.first("RPCNotificationStream") else {
            unmarked(name, type, isStream: element != nil)
            return nil
        }
        guard let element else {
            sink.error(
                "a stream of notifications has the type 'NotificationStream'", at: type,
                Repair(
                    "make it a 'NotificationStream<\(type.trimmedDescription)>'", replace: type,
                    byType: "NotificationStream<\(type.trimmedDescription)>"))
            return nil
        }
        check(binding)
        let arguments = AttributeArguments(attribute, sink)
        let bareName = name.identifier?.name ?? name.text
        return StreamRequirement(
            name: name.text,
            rpcName: arguments.string(nil).map { .literal($0) }
                ?? options.naming.name(bareName, prefix: options.prefix),
            identifier: bareName, type: type.trimmedDescription, element: element,
            overflow: arguments.text("overflow"), decoding: arguments.text("decoding"),
            coder: arguments.text("coder"), availability: variable.attributes.availabilityPrefix,
            location: sink.place(of: variable))
    }

    private func unmarked(_ name: TokenSyntax, _ type: TypeSyntax, isStream: Bool) {
        guard isStream else {
            let mark = variable.attributes.first(RequirementMark.subscription.rawValue)
            let attribute = mark.map { "\($0.trimmedDescription) " } ?? ""
            let method: DeclSyntax =
                "\(raw: attribute)func \(raw: name.text)() async throws -> \(raw: type.trimmedDescription)"
            return sink.error(
                "a property cannot be a call", at: name,
                Repair(
                    "make it a method", replace: variable,
                    by: method.with(\.leadingTrivia, variable.leadingTrivia)
                        .with(\.trailingTrivia, variable.trailingTrivia)))
        }
        let marked = variable.unmarked(RequirementMark.allNames).marked("@RPCNotificationStream(\"<#method#>\")")
        sink.error(
            "mark a stream of the peer's notifications with '@RPCNotificationStream'", at: name,
            Repair("mark it", replace: variable, by: marked))
    }

    private func check(_ binding: PatternBindingSyntax) {
        guard let block = binding.accessorBlock, case .accessors(let accessors) = block.accessors else { return }
        for accessor in accessors {
            if accessor.accessorSpecifier.text != "get" {
                let getter = accessors.filter { $0.accessorSpecifier.text == "get" }
                sink.error(
                    "a stream of notifications cannot have a setter", at: accessor,
                    Repair("remove 'set'", replace: block, by: block.with(\.accessors, .accessors(getter))))
            } else if let effects = accessor.effectSpecifiers {
                sink.error(
                    "the getter of a stream is neither 'async' nor throwing", at: effects,
                    Repair(
                        "remove '\(effects.trimmedDescription)'", replace: accessor,
                        by: accessor.with(\.effectSpecifiers, nil)))
            }
        }
    }
}
