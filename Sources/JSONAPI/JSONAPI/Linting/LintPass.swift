// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// One run of a linter over a document.
struct LintPass {
    let linter: DocumentLinter
    private(set) var findings: [LintFinding] = []
    /// The names and indexes from the root to the current value.
    private(set) var path: [String] = []
    var linkage = LinkageRecord()

    mutating func report(_ rule: LintRule, _ message: String, at name: String? = nil) {
        report(rule, message, path: path + (name.map { [$0] } ?? []))
    }

    mutating func report(_ rule: LintRule, _ message: String, path: [String]) {
        guard findings.count < linter.maximumFindings else { return }
        findings.append(LintFinding(rule: rule, pointer: JSONPointer(path), message: message))
    }

    mutating func inside(_ name: String, _ check: (inout LintPass) -> Void) {
        path.append(name)
        check(&self)
        path.removeLast()
    }

    mutating func each(_ elements: [JSONValue], _ check: (inout LintPass, JSONValue) -> Void) {
        for (index, element) in elements.enumerated() {
            inside(String(index)) { check(&$0, element) }
        }
    }

    /// Calls `check` at the member, if there is one.
    mutating func member(_ object: JSONObject, _ name: String, _ check: (inout LintPass, JSONValue) -> Void) {
        guard let value = object[name] else { return }
        inside(name) { check(&$0, value) }
    }

    /// Calls `check` at the member, if there is one. It reports a member that is not an object.
    mutating func objectMember(
        _ object: JSONObject, _ name: String, _ rule: LintRule, _ check: (inout LintPass, JSONObject) -> Void
    ) {
        member(object, name) { pass, value in
            guard let value = value.objectValue else { return pass.report(rule, "`\(name)` is not an object") }
            check(&pass, value)
        }
    }

    /// Calls `check` at each member with a name that an implementation has chosen. It checks all names.
    mutating func eachMember(_ object: JSONObject, _ check: (inout LintPass, JSONValue) -> Void) {
        for (name, value) in object where !isFree(name) {
            checkName(name)
            inside(name) { check(&$0, value) }
        }
    }

    /// Reports the members of the given names that are not strings.
    mutating func checkStrings(_ object: JSONObject, _ names: [String], _ rule: LintRule) {
        for name in names where object[name].map({ $0.stringValue == nil }) ?? false {
            report(rule, "`\(name)` is not a string", at: name)
        }
    }

    /// Reports members that neither the specification nor an applied extension defines.
    mutating func checkDefined(_ object: JSONObject, _ defined: Set<String>) {
        for name in object.keys where !defined.contains(name) && !isFree(name) {
            report(.undefinedMember, "the member `\(name)` is not defined", at: name)
        }
    }

    /// Returns whether the name is that of an @-member, or of an applied extension. It reports other extensions.
    mutating func isFree(_ name: String) -> Bool {
        switch MemberName.kind(of: name) {
        case .regular: return false
        case .atMember:
            checkName(name)
            return true
        case .extensionMember(let namespace):
            if !MemberName.isLegalNamespace(namespace) {
                report(.extensionNamespace, "the namespace `\(namespace)` is not legal", at: name)
            } else if !linter.extensionNamespaces.contains(namespace) {
                report(.unappliedExtension, "no applied extension has the namespace `\(namespace)`", at: name)
            } else {
                checkName(name)
            }
            return true
        }
    }

    func hasExtensionMember(_ object: JSONObject) -> Bool {
        object.keys.contains { name in
            guard case .extensionMember(let namespace) = MemberName.kind(of: name) else { return false }
            return linter.extensionNamespaces.contains(namespace)
        }
    }

    mutating func checkName(_ name: String) {
        let isRegular = MemberName.kind(of: name) == .regular
        if !MemberName.isLegal(name) {
            report(.memberName, "the member name `\(name)` is not legal", at: name)
        } else if linter.checksRecommendations, isRegular, !MemberName.isRecommended(name) {
            report(.recommendedMemberName, "the member name `\(name)` is not camel case of ASCII characters", at: name)
        }
    }

    /// Checks the names in a value. The specification defines only the names, not the values.
    mutating func checkNames(_ value: JSONValue) {
        switch value {
        case .object(let object):
            for (name, value) in object {
                if MemberName.kind(of: name) == .regular || !isFree(name) { checkName(name) }
                inside(name) { $0.checkNames(value) }
            }
        case .array(let elements): each(elements) { $0.checkNames($1) }
        default: break
        }
    }

    mutating func checkMeta(_ object: JSONObject) {
        member(object, "meta") { pass, meta in
            if meta.objectValue == nil { pass.report(.meta, "`meta` is not an object") }
            pass.checkNames(meta)
        }
    }
}
