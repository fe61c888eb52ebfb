// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSON

/// Nested containers for an existing name of the object, compared with Foundation's encoder.
@Suite("Repeated containers", .inTurn)
struct RepeatedContainerTests {
    typealias Scripted = EncodingContainerTests.Scripted
    typealias Key = EncodingContainerTests.Key
    typealias Point = EncodingContainerTests.Point

    enum MemberKey: String, CodingKey { case attributes, list, other }
    enum AttributeKey: String, CodingKey { case name, size, depth }

    class Base: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: MemberKey.self)
            var attributes = container.nestedContainer(keyedBy: AttributeKey.self, forKey: .attributes)
            try attributes.encode("n", forKey: .name)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode("base")
            let inner = container.superEncoder()
            try ["kept": "no"].encode(to: inner)
        }
    }

    class Subclass: Base {
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: MemberKey.self)
            try container.encode(true, forKey: .other)
            var attributes = container.nestedContainer(keyedBy: AttributeKey.self, forKey: .attributes)
            try attributes.encode(3, forKey: .size)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            #expect(list.count == 1)
            try list.encode(Point())
            let inner = container.superEncoder()
            try ["kept": "yes"].encode(to: inner)
        }
    }

    final class Leaf: Subclass {
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: MemberKey.self)
            var attributes = container.nestedContainer(keyedBy: AttributeKey.self, forKey: .attributes)
            try attributes.encode(4, forKey: .depth)
            try attributes.encode("again", forKey: .name)
        }
    }

    @Test func classesOfOneHierarchyWriteIntoOneNestedContainer() throws {
        for value in [Base(), Subclass(), Leaf()] {
            let text: [UInt8] = try WireJSONEncoder().encode([value, value])
            let data = try JSONEncoder().encode([value, value])
            #expect(try JSONValue(parsing: text) == JSONValue(parsing: Array(data)))
        }
        let text: [UInt8] = try WireJSONEncoder().encode(Leaf())
        #expect(
            String(decoding: text, as: UTF8.self)
                == #"{"attributes":{"size":3,"depth":4,"name":"again"},"list":["base",{"x":1,"y":2}],"other":true,"#
                + #""super":{"kept":"yes"}}"#)
    }

    static let scripts: [(String, @Sendable (any Encoder) throws -> Void)] = [
        (
            "objects filled in turn",
            { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                var first = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
                try first.encode(1, forKey: .b)
                try outer.encode(9, forKey: .e)
                var second = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
                try second.encode(2, forKey: .c)
                try first.encode(3, forKey: .d)
                try second.encode(7, forKey: .b)
                #expect(second.codingPath.last?.stringValue == "a")
            }
        ),
        (
            "arrays filled in turn",
            { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                var first = outer.nestedUnkeyedContainer(forKey: .a)
                try first.encode(1)
                var second = outer.nestedUnkeyedContainer(forKey: .a)
                #expect(second.count == 1)
                try second.encode(Point())
                try first.encode([3])
                #expect(first.count == 3)
                #expect(second.count == 3)
            }
        ),
        (
            "empty containers again",
            { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                _ = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
                _ = outer.nestedUnkeyedContainer(forKey: .b)
                var object = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
                var list = outer.nestedUnkeyedContainer(forKey: .b)
                try list.encode("x")
                try object.encode(1, forKey: .c)
                _ = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
            }
        ),
        (
            "containers in repeated containers",
            { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                var first = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
                var inFirst = first.nestedContainer(keyedBy: Key.self, forKey: .b)
                try inFirst.encode(1, forKey: .c)
                var second = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
                var inSecond = second.nestedContainer(keyedBy: Key.self, forKey: .b)
                try inSecond.encode(2, forKey: .d)
                try inFirst.encode(5, forKey: .e)
                var list = second.nestedUnkeyedContainer(forKey: .c)
                try list.encode("l")
                var inList = list.nestedContainer(keyedBy: Key.self)
                try inList.encode(1, forKey: .a)
                var same = first.nestedUnkeyedContainer(forKey: .c)
                try same.encode("m")
                try inList.encode(2, forKey: .b)
                try outer.encode("end", forKey: .e)
                var late = first.nestedContainer(keyedBy: Key.self, forKey: .b)
                try late.encode("late", forKey: .a)
            }
        ),
        (
            "containers that go on with values",
            { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                try outer.encode(Point(), forKey: .a)
                try outer.encode(["c": 4, "z\n\"": 1], forKey: .b)
                try outer.encode([1, 2], forKey: .c)
                try outer.encode([Point](), forKey: .d)
                var point = outer.nestedContainer(keyedBy: JSONKey.self, forKey: .a)
                try point.encode(3, forKey: JSONKey("z"))
                try point.encode(30, forKey: JSONKey("x"))
                var table = outer.nestedContainer(keyedBy: JSONKey.self, forKey: .b)
                try table.encode("new", forKey: JSONKey("z\n\""))
                try table.encode(5, forKey: JSONKey("c"))
                var list = outer.nestedUnkeyedContainer(forKey: .c)
                #expect(list.count == 2)
                try list.encode(3)
                var empty = outer.nestedUnkeyedContainer(forKey: .d)
                try empty.encode("only")
                try list.encode(4)
            }
        ),
        (
            "a super encoder after a container, and a value after both",
            { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                var first = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
                try first.encode(1, forKey: .b)
                try ["c": 2].encode(to: outer.superEncoder(forKey: .a))
                var list = outer.nestedUnkeyedContainer(forKey: .b)
                try list.encode(1)
                try outer.encode("value", forKey: .b)
                var second = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
                try second.encode(3, forKey: .d)
            }
        ),
        (
            "many names, each twice",
            { encoder in
                var outer = encoder.container(keyedBy: JSONKey.self)
                for round in 0..<2 {
                    for index in 0..<300 {
                        var inner = outer.nestedContainer(keyedBy: Key.self, forKey: JSONKey("name \(index)"))
                        try inner.encode(index, forKey: round == 0 ? .a : .b)
                    }
                }
            }
        ),
    ]

    struct JSONKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ stringValue: String) { self.stringValue = stringValue }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    @Test(arguments: scripts.indices)
    func nestedContainerGoesOnWithTheMemberOfItsName(index: Int) throws {
        let (name, script) = Self.scripts[index]
        let value = Scripted(script: script)
        let text: [UInt8] = try WireJSONEncoder().encode(value)
        #expect(try JSONValue(parsing: text) == JSONValue(parsing: Array(JSONEncoder().encode(value))), "\(name)")
        let nested: [UInt8] = try WireJSONEncoder().encode(["k": [value, value]])
        let nestedData = try JSONEncoder().encode(["k": [value, value]])
        #expect(try JSONValue(parsing: nested) == JSONValue(parsing: Array(nestedData)), "\(name), nested")
        let listed = Scripted { encoder in
            var list = encoder.unkeyedContainer()
            let inner = list.superEncoder()
            try list.encode("after")
            try script(inner)
        }
        let late: [UInt8] = try WireJSONEncoder().encode(listed)
        #expect(
            try JSONValue(parsing: late) == JSONValue(parsing: Array(JSONEncoder().encode(listed))), "\(name), late")
    }

    @Test func convertedNamesThatAreTheSameAreOneMember() throws {
        enum Names: String, CodingKey { case oneTwo, one_two }
        let value = Scripted { encoder in
            var outer = encoder.container(keyedBy: Names.self)
            var first = outer.nestedUnkeyedContainer(forKey: .oneTwo)
            try first.encode(1)
            var second = outer.nestedUnkeyedContainer(forKey: .one_two)
            try second.encode(2)
        }
        var (ours, theirs) = (WireJSONEncoder(), JSONEncoder())
        ours.keyEncodingStrategy = .convertToSnakeCase
        theirs.keyEncodingStrategy = .convertToSnakeCase
        let text: [UInt8] = try ours.encode(value)
        #expect(try JSONValue(parsing: text) == JSONValue(parsing: Array(theirs.encode(value))))
        #expect(String(decoding: text, as: UTF8.self) == #"{"one_two":[1,2]}"#)
    }

    @Test func rawValuesTakeMoreMembersToo() throws {
        let object = try RawJSON(validating: "{ \"b\" : 1.00 , \"\\ud800\":0, \"c\":[ ] }")
        let (empty, list) = (try RawJSON(validating: "{ }"), try RawJSON(validating: "[ 1 , { } ]"))
        let value = Scripted { encoder in
            var outer = encoder.container(keyedBy: Key.self)
            try outer.encode(object, forKey: .a)
            try outer.encode(empty, forKey: .b)
            try outer.encode(list, forKey: .c)
            var first = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
            try first.encode(2, forKey: .d)
            try first.encode("new", forKey: .b)
            var second = outer.nestedContainer(keyedBy: Key.self, forKey: .b)
            try second.encode(3, forKey: .d)
            var third = outer.nestedUnkeyedContainer(forKey: .c)
            #expect(third.count == 2)
            try third.encodeNil()
            try second.encode(4, forKey: .e)
        }
        let text: [UInt8] = try WireJSONEncoder().encode(value)
        #expect(
            String(decoding: text, as: UTF8.self)
                == #"{"a":{"\ud800":0,"c":[],"d":2,"b":"new"},"b":{"d":3,"e":4},"c":[1,{},null]}"#)
    }

    static let clashes: [@Sendable (inout KeyedEncodingContainer<Key>) throws -> Void] = [
        { try $0.encode(5, forKey: .a) }, { try $0.encodeNil(forKey: .a) }, { try $0.encode("{", forKey: .a) },
        { try $0.encode(["x"], forKey: .a) }, { try $0.encode(["x": 1], forKey: .a) },
        { _ = $0.nestedContainer(keyedBy: Key.self, forKey: .a) }, { _ = $0.nestedUnkeyedContainer(forKey: .a) },
    ]

    /// Foundation's encoder traps.
    @Test(arguments: clashes.indices)
    func containerOfAnotherKindForTheSameNameIsAnError(index: Int) throws {
        var errors = 0
        for isObject in [true, false] {
            let value = Scripted { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                try Self.clashes[index](&outer)
                if isObject {
                    var inner = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
                    try inner.encode(1, forKey: .b)
                    try inner.encode(Point(), forKey: .c)
                    _ = inner.nestedUnkeyedContainer(forKey: .d)
                } else {
                    var inner = outer.nestedUnkeyedContainer(forKey: .a)
                    try inner.encode(1)
                    try inner.encode(Point())
                    _ = inner.superEncoder()
                }
            }
            do {
                let text: [UInt8] = try WireJSONEncoder().encode(["k": value])
                let theirs = try JSONEncoder().encode(["k": value])
                #expect(try JSONValue(parsing: text) == JSONValue(parsing: Array(theirs)))
            } catch let EncodingError.invalidValue(_, context) {
                errors += 1
                #expect(Verdict<Int>.path(context.codingPath) == ".k.a")
                #expect(context.debugDescription.contains(isObject ? "not an object" : "not an array"))
            }
        }
        #expect(errors == (index < 3 ? 2 : 1))
    }
}
