// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials
import JSONAPI
import TestTurns
import Testing
import WireJSON

/// Reads a document from text.
func read(_ text: String, options: DocumentOptions = DocumentOptions()) throws -> RawDocument {
    try RawDocument(parsing: Array(text.utf8), options: options)
}

@Suite("Reading of documents", .inTurn)
struct DocumentReadingTests {
    @Test func absentNullEmptyAndSingleDataAreKeptApart() throws {
        #expect(try read(#"{"meta":{}}"#).data == nil)
        #expect(try read(#"{"data":null}"#).data == .single(nil))
        #expect(try read(#"{"data":[]}"#).data == .collection([]))
        let resource = ResourceObject(type: "tags", id: "2")
        #expect(try read(#"{"data":{"type":"tags","id":"2"}}"#).data == .single(resource))
        #expect(try read(#"{"data":[{"type":"tags","id":"2"}]}"#).data == .collection([resource]))
    }

    @Test(arguments: [#"{"meta":{}}"#, #"{"data":null}"#, #"{"data":[]}"#, #"{"data":{"type":"a","id":"1"}}"#])
    func dataAreWrittenAsTheyWereRead(_ text: String) throws {
        #expect(try String(decoding: read(text).bytes, as: UTF8.self) == text)
    }

    @Test func threeStatesOfLinkageAreKeptApart() throws {
        let text = """
            {"data":{"type":"a","id":"1","relationships":{"unknown":{"links":{"self":"/r"}},"none":{"data":null},
            "empty":{"data":[]},"one":{"data":{"type":"b","id":"2"}},"many":{"data":[{"type":"b","lid":"x"}]}}}}
            """
        let document = try read(text)
        let relationships = try #require(document.data?.resources.first?.relationships)
        #expect(relationships["absent"] == nil)
        #expect(relationships["unknown"]?.data == nil)
        #expect(relationships["none"]?.data == .toOne(nil))
        #expect(relationships["empty"]?.data == .toMany([]))
        #expect(relationships["one"]?.data == .toOne(ResourceIdentifierObject(type: "b", id: "2")))
        #expect(relationships["many"]?.data == .toMany([ResourceIdentifierObject(type: "b", lid: "x")]))
        #expect(relationships.members.names == ["unknown", "none", "empty", "one", "many"])
        #expect(try JSONValue(parsing: document.bytes) == JSONValue(parsing: text))
    }

    @Test func attributesKeepTheirBytesAndAreDecodedOnDemand() throws {
        struct Article: Decodable, Equatable { var title: String, size: Double }
        let attributes = #"{ "title" : "A",  "size": 1.00, "@context":"x", "n:o": 1 }"#
        let document = try read(#"{"data":{"type":"a","id":"1","attributes": \#(attributes) }}"#)
        let resource = try #require(document.data?.resources.first)
        #expect(resource.attributes?.description == attributes)
        #expect(try resource.attributes?.decode(as: Article.self) == Article(title: "A", size: 1))
        #expect(resource.attributeNames == ["title", "size"])
        #expect(resource.attributes?["size"]?.text == "1.00")
        #expect(String(decoding: document.bytes, as: UTF8.self).contains(attributes))
    }

    @Test func unknownMembersAtMembersAndExtensionsAreKeptEverywhere() throws {
        let extra = #""@id":[1],"foo":{"a":1.0},"version:id":"42""#
        let text = """
            {"data":{"type":"a","id":"1","relationships":{"r":{"data":{"type":"b","id":"2",\(extra)},\(extra)},
            "@id":5,"version:of":6},"links":{"self":{"href":"/a",\(extra)},"@id":7},\(extra)},
            "jsonapi":{"version":"1.1",\(extra)},"included":[{"type":"b","id":"2",\(extra)}],\(extra)}
            """
        let document = try read(text)
        let resource = try #require(document.data?.resources.first)
        #expect(resource.additionalMembers.names == ["@id", "foo", "version:id"])
        #expect(resource.additionalMembers["foo"]?.text == #"{"a":1.0}"#)
        #expect(resource.additionalMembers.members(ofExtension: "version").map(\.value.text) == [#""42""#])
        #expect(resource.additionalMembers.atMembers.map(\.name) == ["@id"])
        #expect(resource.relationships?.members.names == ["r"])
        #expect(resource.links?.members.names == ["self"])
        #expect(try JSONValue(parsing: document.bytes) == JSONValue(parsing: text))
    }

    @Test func nullInOptionalMembersReadsAsAbsentAndIsWrittenAgain() throws {
        let text = """
            {"data":{"type":"a","id":null,"attributes":null,"relationships":null,"links":null,"meta":null},
            "meta":null,"links":null,"included":null,"jsonapi":null,"errors":null}
            """
        var document = try read(text)
        #expect(document.meta == nil && document.links == nil && document.included == nil && document.errors == nil)
        #expect(document.data?.resources.first?.id == nil)
        #expect(try JSONValue(parsing: document.bytes) == JSONValue(parsing: text))
        document.meta = ["page": 1]
        #expect(try JSONValue(parsing: document.bytes).meta == ["page": 1])
    }

    @Test func linksAreStringsObjectsOrNull() throws {
        let text = """
            {"meta":{},"links":{"self":"/a?b=c","next":null,"author":{"href":"b","rel":"x","title":"T","type":"text/html",
            "hreflang":["de","en"],"describedby":{"href":"/d","hreflang":"de"},"meta":{"count":10}}}}
            """
        let document = try read(text)
        let links = try #require(document.links)
        #expect(links["self"]?.href == "/a?b=c")
        #expect(links.next == .null)
        #expect(links.prev == nil)
        guard case .object(let author) = links.author else { throw DocumentMismatch() }
        #expect(author.rel == "x" && author.title == "T" && author.type == "text/html")
        #expect(author.hreflang == .several(["de", "en"]) && author.hreflang?.tags == ["de", "en"])
        #expect(author.describedby == .object(LinkObject(href: "/d", hreflang: .one("de"))))
        #expect(author.meta?["count"]?.text == "10")
        #expect(try JSONValue(parsing: document.bytes) == JSONValue(parsing: text))
    }

    @Test func jsonapiObjectKeepsVersionExtensionsAndProfiles() throws {
        let document = try read(#"{"meta":{},"jsonapi":{"version":"1.1","ext":["e"],"profile":["p","q"],"meta":{}}}"#)
        #expect(document.jsonapi == JSONAPIObject(version: "1.1", ext: ["e"], profile: ["p", "q"], meta: [:]))
        #expect(try read(#"{"meta":{},"jsonapi":{}}"#).jsonapi?.version == nil)
    }

    @Test func indexFindsResourcesAcrossTheDocument() throws {
        let document = try read(
            """
            {"data":[{"type":"a","id":"1","relationships":{"b":{"data":{"type":"b","id":"1"}}}}],
            "included":[{"type":"b","id":"1","meta":{"n":1},"relationships":{"a":{"data":{"type":"a","id":"1"}}}},
            {"type":"b","id":"1","meta":{"n":2}},{"type":"a","id":"1","meta":{"n":3}},{"type":"c","lid":"x"}]}
            """)
        let index = ResourceIndex(document)
        let first = try #require(index[ResourceKey(type: "a", id: "1")])
        #expect(first.meta == nil)
        let second = try #require(first.relationships?["b"]?.data?.identifiers.first.flatMap { index[$0] })
        #expect(second.type == "b" && second.meta?["n"]?.text == "1")
        #expect(second.relationships?["a"]?.data?.identifiers.first.flatMap { index[$0] } == first)
        #expect(index[ResourceIdentifierObject(type: "c", lid: "x")]?.lid == "x")
        #expect(index[ResourceIdentifierObject(type: "c", id: "x")] == nil)
    }

    @Test func identifiersInPrimaryDataGiveWayToIncludedResources() throws {
        let document = try read(
            #"{"data":[{"type":"a","id":"1"}],"included":[{"type":"a","id":"1","attributes":{"n":1}},{"type":"a","id":"é"}]}"#
        )
        let index = ResourceIndex(document)
        #expect(index[ResourceKey(type: "a", id: "1")]?.attributes?["n"]?.text == "1")
        #expect(index[ResourceKey(type: "a", id: "\u{E9}")] != nil)
        #expect(index[ResourceKey(type: "a", id: "e\u{301}")] == nil)
    }

    @Test func lastOfRepeatedMembersWins() throws {
        let document = try read(#"{"data":{"type":"a","id":"1","id":"2","x":1,"x":2},"data":{"type":"b","id":"3"}}"#)
        #expect(document.data == .single(ResourceObject(type: "b", id: "3")))
        let resource = try read(#"{"data":{"type":"a","id":"1","id":"2","x":1,"x":2}}"#).data?.resources.first
        #expect(resource?.id == "2" && resource?.additionalMembers["x"]?.text == "2")
    }

    @Test func foundationsCodersReadAndWriteDocuments() throws {
        let text = #"{"data":{"type":"a","id":"1","attributes":{"n":[1,null]},"@x":true},"included":[]}"#
        let document = try JSONDecoder().decode(RawDocument.self, from: Data(text.utf8))
        #expect(document.data?.resources.first?.additionalMembers["@x"]?.text == "true")
        let written = try JSONEncoder().encode(document)
        #expect(try JSONValue(parsing: Array(written)) == JSONValue(parsing: text))
    }

    @Test func membersOfLargeObjectsAreFoundAndRemoved() {
        var members: RawMembers = [:]
        for number in 0..<100 { members["n\(number)"] = RawJSON(.number(JSONNumber(number))) }
        members["n50"] = .null
        members["n10"] = nil
        #expect(members.count == 99)
        #expect(members["n50"] == .null)
        #expect(members["n99"]?.text == "99")
        #expect(members["n10"] == nil)
        #expect(members["N50"] == nil)
    }
}

/// A value is of another kind than the test expects.
struct DocumentMismatch: Error {}
