// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import TestTurns
import Testing
import WireJSON

/// A document and the findings that a linter reports for it, each as `rule pointer`.
struct LintExample: Sendable, CustomTestStringConvertible {
    let text: String
    let findings: [String]

    init(_ text: String, _ findings: String...) {
        self.text = text
        self.findings = findings
    }

    var testDescription: String { text }

    /// Returns a document whose only data are a resource with the given members.
    static func resource(_ members: String, _ findings: String...) -> Self {
        Self(#"{"data":{"type":"a","id":"1",\#(members)}}"#, findings)
    }

    private init(_ text: String, _ findings: [String]) {
        self.text = text
        self.findings = findings
    }
}

func lint(_ text: String, _ linter: DocumentLinter = DocumentLinter()) throws -> [String] {
    try linter.findings(in: Array(text.utf8)).map { "\($0.rule) \($0.pointer)" }
}

@Suite("Linter", .inTurn)
struct DocumentLinterTests {
    static let topLevel: [LintExample] = [
        LintExample("[]", "topLevelMembers "),
        LintExample("{}", "topLevelMembers "),
        LintExample(#"{"jsonapi":{},"links":{}}"#, "topLevelMembers "),
        LintExample(#"{"@context":1}"#, "topLevelMembers "),
        LintExample(#"{"data":null,"errors":[]}"#, "dataWithErrors "),
        LintExample(#"{"meta":{},"included":[]}"#, "includedWithoutData /included"),
        LintExample(#"{"data":7}"#, "primaryData /data"),
        LintExample(#"{"data":[7]}"#, "resourceObject /data/0"),
        LintExample(#"{"data":null,"foo":1}"#, "undefinedMember /foo"),
        LintExample(#"{"data":null,"included":null}"#, "included /included"),
        LintExample(#"{"meta":[]}"#, "meta /meta"),
        LintExample(#"{"meta":{},"jsonapi":[]}"#, "jsonapiObject /jsonapi"),
        LintExample(
            #"{"meta":{},"jsonapi":{"version":1,"ext":"x","profile":[1],"x":1,"meta":1}}"#,
            "undefinedMember /jsonapi/x",
            "jsonapiObject /jsonapi/version", "jsonapiObject /jsonapi/ext", "jsonapiObject /jsonapi/profile",
            "meta /jsonapi/meta"),
        LintExample(#"{"errors":{}}"#, "errors /errors"),
        LintExample(
            #"{"errors":[1,{},{"status":422},{"source":{"pointer":1,"x":1}},{"source":""}]}"#, "errors /errors/0",
            "errorObject /errors/1", "errorObject /errors/2/status", "undefinedMember /errors/3/source/x",
            "errorObject /errors/3/source/pointer", "errorObject /errors/4/source"),
    ]

    static let resources: [LintExample] = [
        LintExample(#"{"data":{"id":"1"}}"#, "resourceType /data"),
        LintExample(#"{"data":{"type":"a"}}"#, "resourceID /data"),
        LintExample(
            #"{"data":{"type":1,"id":2,"lid":3}}"#,
            "resourceType /data/type", "resourceID /data/id", "localID /data/lid"),
        LintExample(#"{"data":{"type":"a/b","id":"1"}}"#, "typeName /data/type"),
        LintExample(#"{"data":{"type":"@a","id":"1"}}"#, "typeName /data/type"),
        .resource(#""foo":1"#, "undefinedMember /data/foo"),
        .resource(#""attributes":[]"#, "attributes /data/attributes"),
        .resource(
            #""attributes":{"type":1,"id":2,"@id":3}"#, "reservedFieldName /data/attributes/type",
            "reservedFieldName /data/attributes/id"),
        .resource(
            #""relationships":{"type":{"meta":{}},"id":{"meta":{}}}"#, "reservedFieldName /data/relationships/type",
            "reservedFieldName /data/relationships/id"),
        .resource(
            #""attributes":{"r":1},"relationships":{"r":{"data":null}}"#, "repeatedField /data/attributes/r"),
        .resource(#""relationships":[]"#, "relationships /data/relationships"),
        .resource(#""relationships":{"r":1}"#, "relationships /data/relationships/r"),
        .resource(#""relationships":{"r":{}}"#, "relationshipMembers /data/relationships/r"),
        .resource(#""relationships":{"r":{"links":{"next":null}}}"#, "relationshipLinks /data/relationships/r/links"),
        .resource(#""relationships":{"r":{"data":"1"}}"#, "resourceLinkage /data/relationships/r/data"),
        .resource(#""relationships":{"r":{"data":[1]}}"#, "resourceIdentifier /data/relationships/r/data/0"),
        .resource(
            #""relationships":{"r":{"data":{"type":"b"}}}"#, "resourceIdentifier /data/relationships/r/data"),
        .resource(
            #""relationships":{"r":{"data":{"id":"1","attributes":{}}}}"#,
            "undefinedMember /data/relationships/r/data/attributes", "resourceType /data/relationships/r/data"),
        .resource(#""relationships":{"r":{"data":null,"foo":1}}"#, "undefinedMember /data/relationships/r/foo"),
        .resource(#""meta":null"#, "meta /data/meta"),
    ]

    static let links: [LintExample] = [
        .resource(#""links":[]"#, "links /data/links"),
        .resource(#""links":{"self":1}"#, "link /data/links/self"),
        .resource(#""links":{"self":{}}"#, "linkReference /data/links/self"),
        .resource(#""links":{"self":{"href":1}}"#, "linkReference /data/links/self/href"),
        .resource(#""links":{"self":{"href":"a b"}}"#, "uriReference /data/links/self/href"),
        .resource(#""links":{"self":"/a<b"}"#, "uriReference /data/links/self"),
        .resource(
            #""links":{"self":{"href":"","rel":1,"title":2,"type":3,"hreflang":[4],"describedby":5,"meta":6,"x":7}}"#,
            "undefinedMember /data/links/self/x", "linkObjectMember /data/links/self/rel",
            "linkObjectMember /data/links/self/title", "linkObjectMember /data/links/self/type",
            "linkObjectMember /data/links/self/hreflang", "link /data/links/self/describedby",
            "meta /data/links/self/meta"),
    ]

    static let names: [LintExample] = [
        .resource(#""attributes":{"":1}"#, "memberName /data/attributes/"),
        .resource(
            #""attributes":{"-a":1,"a-":2,"a-b c_d":3,"é":4}"#,
            "memberName /data/attributes/-a", "memberName /data/attributes/a-"),
        .resource(#""attributes":{"a":[{"b.c":1}]}"#, "memberName /data/attributes/a/0/b.c"),
        .resource(#""relationships":{"a+b":{"data":null}}"#, "memberName /data/relationships/a+b"),
        .resource(#""meta":{"a/b":1}"#, "memberName /data/meta/a~1b"),
        .resource(#""links":{"a,b":null}"#, "memberName /data/links/a,b"),
        .resource(#""@":1"#, "memberName /data/@"),
        .resource(#""ver_sion:id":1"#, "extensionNamespace /data/ver_sion:id"),
        .resource(#""version:id":1"#, "unappliedExtension /data/version:id"),
        .resource(#""ext:a b":1,"ext:":2"#, "memberName /data/ext:"),
    ]

    static let relations: [LintExample] = [
        LintExample(#"{"data":[],"included":[{"type":"b","id":"1"}]}"#, "fullLinkage /included/0"),
        LintExample(
            """
            {"data":{"type":"a","id":"1","relationships":{"b":{"data":{"type":"b","id":"1"}}}},"included":[
            {"type":"b","id":"1","relationships":{"c":{"data":[{"type":"c","id":"1"}]}}},{"type":"c","id":"1"},
            {"type":"d","id":"1","relationships":{"e":{"data":{"type":"e","id":"1"}}}},
            {"type":"e","id":"1","relationships":{"d":{"data":{"type":"d","id":"1"}}}}]}
            """, "fullLinkage /included/2", "fullLinkage /included/3"),
        LintExample(
            #"{"data":[{"type":"a","id":"1","links":{}}],"included":[{"type":"a","id":"1"}]}"#,
            "duplicateResource /included/0"),
        LintExample(
            #"{"data":[{"type":"a","id":"1"},{"type":"a","id":"1"},{"type":"b","id":"1"}]}"#,
            "duplicateResource /data/1"),
        LintExample(
            """
            {"data":{"type":"a","id":"1","lid":"x","relationships":{"r":{"data":[{"type":"a","id":"1"},
            {"type":"a","id":"1","lid":"x"},{"type":"a","lid":"y"},{"type":"a","lid":"x"}]}}}}
            """, "localIDConsistency /data/relationships/r/data/0", "localIDConsistency /data/relationships/r/data/2"),
    ]

    @Test(arguments: topLevel + resources + links + names + relations)
    func violationsAreFoundWithTheirPlaces(_ example: LintExample) throws {
        var linter = DocumentLinter()
        linter.extensionNamespaces = ["ext"]
        #expect(try lint(example.text, linter) == example.findings)
    }

    @Test func eachRuleIsShownByAnExample() {
        let examples = Self.topLevel + Self.resources + Self.links + Self.names + Self.relations
        let found = Set(examples.flatMap(\.findings).compactMap { $0.split(separator: " ").first.map(String.init) })
        #expect(LintRule.allCases.filter { !found.contains($0.rawValue) } == [.foreignKey, .recommendedMemberName])
    }

    @Test(arguments: [
        #"{"data":null}"#, #"{"data":[]}"#, #"{"meta":{}}"#, #"{"errors":[{"title":"x"}]}"#, #"{"ext:thing":1}"#,
        #"{"data":{"type":"a","id":"1","@id":{"any thing!":1}}}"#,
        #"{"data":{"type":"a","id":"1","relationships":{"r":{"data":{"type":"b","id":"gone"}}}}}"#,
        #"{"data":{"type":"a","id":"1","relationships":{"r":{"links":{"self":"/r"}}}},"included":[]}"#,
        #"{"data":{"type":"a","id":"1","relationships":{"r":{"ext:x":1}}}}"#,
        #"{"data":[{"type":"a","id":"1"}],"included":[{"type":"a","id":"1","attributes":{"n":1}}]}"#,
        #"{"data":[{"type":"a","id":"é"},{"type":"a","id":"e\u0301"}]}"#,
        #"{"data":{"type":"type","id":""}}"#, #"{"meta":{},"links":{"anything":null,"self":"../a?b[c]=d#e"}}"#,
    ])
    func legalOdditiesPass(_ text: String) throws {
        var linter = DocumentLinter()
        linter.extensionNamespaces = ["ext"]
        #expect(try lint(text, linter) == [])
    }

    @Test func newResourcesAreLegalInRequestsOnly() throws {
        var linter = DocumentLinter()
        let text = """
            {"data":{"type":"a","lid":"x","relationships":{"b":{"data":{"type":"b","lid":"y"}}}},
            "included":[{"type":"b","lid":"y"}]}
            """
        #expect(try lint(text, linter) == ["resourceID /data", "resourceID /included/0"])
        linter.allowsNewResources = true
        #expect(try lint(text, linter) == [])
    }

    @Test func linkageCanBePartialAfterSparseFieldsets() throws {
        var linter = DocumentLinter()
        linter.allowsPartialLinkage = true
        #expect(try lint(#"{"data":[],"included":[{"type":"b","id":"1"}]}"#, linter) == [])
    }

    @Test func recommendationsAreReportedIfAsked() throws {
        var linter = DocumentLinter()
        let text = """
            {"data":{"type":"a","id":"1","attributes":{"first-name":1,"Name":2,"authorId":3},
            "relationships":{"author":{"data":null}}}}
            """
        #expect(try lint(text, linter) == [])
        linter.checksRecommendations = true
        #expect(
            try lint(text, linter) == [
                "foreignKey /data/attributes/authorId", "recommendedMemberName /data/attributes/first-name",
                "recommendedMemberName /data/attributes/Name",
            ])
    }

    @Test func documentsOfAProgramAreChecked() throws {
        let resource = ResourceObject(type: "a b!", id: "1", attributes: ["id": 5])
        let findings = try DocumentLinter().findings(in: RawDocument(data: .single(resource)))
        #expect(findings.map(\.rule) == [.typeName, .reservedFieldName])
        #expect(findings.first?.rule.section == "Identification")
        #expect(
            findings.last?.description
                == #"`/data/attributes/id`: an attribute is named `id` (JSON:API 1.1, "Fields")."#)
    }
}
