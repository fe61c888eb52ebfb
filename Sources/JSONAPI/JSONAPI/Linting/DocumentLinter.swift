// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// Finds the violations of JSON:API 1.1 in a document.
///
/// A linter also reports faults that make a document unreadable. It does not check the content of extensions.
public struct DocumentLinter: Sendable {
    /// The namespaces of the applied extensions, such as `atomic`. It is empty by default.
    public var extensionNamespaces: Set<String> = []
    /// Whether the primary data can be a new resource without an id, as in requests. The default is `false`.
    public var allowsNewResources = false
    /// Whether included resources can lack linkage, as after a request for sparse fieldsets. The default is `false`.
    public var allowsPartialLinkage = false
    /// Whether recommendations are checked, too. The default is `false`.
    public var checksRecommendations = false
    /// The number of findings after which no more are reported. The default is 1000.
    public var maximumFindings = 1000
    /// The limits for the JSON text. By default, arrays and objects can be nested 512 deep.
    public var limits: JSONLimits

    public init(limits: JSONLimits = JSONLimits()) {
        self.limits = limits
    }

    /// Returns the violations in a JSON text, outer values first, and those between resources last.
    ///
    /// - Throws: A ``DocumentError`` if the bytes are not JSON, or if a string escapes half of a surrogate pair.
    public func findings(in bytes: [UInt8]) throws(DocumentError) -> [LintFinding] {
        do {
            return findings(in: try JSONValue(parsing: bytes, limits: limits))
        } catch {
            throw DocumentError(.notJSON(error))
        }
    }

    /// Returns the violations in a document that a program is about to send.
    ///
    /// - Throws: A ``DocumentError`` if a string in the document escapes half of a surrogate pair.
    public func findings(in document: RawDocument) throws(DocumentError) -> [LintFinding] {
        try findings(in: document.rawJSON)
    }

    func findings(in json: RawJSON) throws(DocumentError) -> [LintFinding] {
        do {
            return findings(in: try JSONValue(json))
        } catch {
            throw DocumentError(.notJSON(error))
        }
    }

    private func findings(in value: JSONValue) -> [LintFinding] {
        var pass = LintPass(linter: self)
        pass.checkDocument(value)
        return pass.findings
    }
}
