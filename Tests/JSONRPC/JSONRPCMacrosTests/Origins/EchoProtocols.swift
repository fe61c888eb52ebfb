// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacros

/// The values that JRPCProxy's tests send and get back unchanged.
struct Point: Codable, Sendable, Equatable {
    var x: Int
    var label: String
}

/// The methods of JRPCProxy's own tests, for both protocols below.
protocol EchoMethods: Sendable {
    func sayHello() async throws -> String
    func appendStrings(first: String, second: String) async throws -> String
    func addIntegers(first: Int, second: Int) async throws -> Int
    func echoBool(value: Bool) async throws -> Bool
    func echoChar(value: Int8) async throws -> Int8
    func echoShort(value: Int16) async throws -> Int16
    func echoInt(value: Int32) async throws -> Int32
    func echoLong(value: Int64) async throws -> Int64
    func echoInteger(value: Int) async throws -> Int
    func echoUnsignedChar(value: UInt8) async throws -> UInt8
    func echoUnsignedShort(value: UInt16) async throws -> UInt16
    func echoUnsignedInt(value: UInt32) async throws -> UInt32
    func echoUnsignedLong(value: UInt64) async throws -> UInt64
    func echoUnsignedInteger(value: UInt) async throws -> UInt
    func echoFloat(value: Float) async throws -> Float
    func echoDouble(value: Double) async throws -> Double
    func echoString(value: String) async throws -> String
    func echoObject(value: Point) async throws -> Point
}

@JSONRPCProxyAndService(params: .byName)
protocol EchoByName {
    func sayHello() async throws -> String
    func appendStrings(first: String, second: String) async throws -> String
    func addIntegers(first: Int, second: Int) async throws -> Int
    func echoBool(value: Bool) async throws -> Bool
    func echoChar(value: Int8) async throws -> Int8
    func echoShort(value: Int16) async throws -> Int16
    func echoInt(value: Int32) async throws -> Int32
    func echoLong(value: Int64) async throws -> Int64
    func echoInteger(value: Int) async throws -> Int
    func echoUnsignedChar(value: UInt8) async throws -> UInt8
    func echoUnsignedShort(value: UInt16) async throws -> UInt16
    func echoUnsignedInt(value: UInt32) async throws -> UInt32
    func echoUnsignedLong(value: UInt64) async throws -> UInt64
    func echoUnsignedInteger(value: UInt) async throws -> UInt
    func echoFloat(value: Float) async throws -> Float
    func echoDouble(value: Double) async throws -> Double
    func echoString(value: String) async throws -> String
    func echoObject(value: Point) async throws -> Point
}

@JSONRPCProxyAndService(params: .byPosition)
protocol EchoByPosition {
    func sayHello() async throws -> String
    func appendStrings(first: String, second: String) async throws -> String
    func addIntegers(first: Int, second: Int) async throws -> Int
    func echoBool(value: Bool) async throws -> Bool
    func echoChar(value: Int8) async throws -> Int8
    func echoShort(value: Int16) async throws -> Int16
    func echoInt(value: Int32) async throws -> Int32
    func echoLong(value: Int64) async throws -> Int64
    func echoInteger(value: Int) async throws -> Int
    func echoUnsignedChar(value: UInt8) async throws -> UInt8
    func echoUnsignedShort(value: UInt16) async throws -> UInt16
    func echoUnsignedInt(value: UInt32) async throws -> UInt32
    func echoUnsignedLong(value: UInt64) async throws -> UInt64
    func echoUnsignedInteger(value: UInt) async throws -> UInt
    func echoFloat(value: Float) async throws -> Float
    func echoDouble(value: Double) async throws -> Double
    func echoString(value: String) async throws -> String
    func echoObject(value: Point) async throws -> Point
}

extension EchoByNameProxy: EchoMethods {}
extension EchoByPositionProxy: EchoMethods {}

/// The server of those tests.
struct EchoServer: EchoByName, EchoByPosition {
    func sayHello() async throws -> String { "Hello World!" }
    func appendStrings(first: String, second: String) async throws -> String { first + second }
    func addIntegers(first: Int, second: Int) async throws -> Int { first + second }
    func echoBool(value: Bool) async throws -> Bool { value }
    func echoChar(value: Int8) async throws -> Int8 { value }
    func echoShort(value: Int16) async throws -> Int16 { value }
    func echoInt(value: Int32) async throws -> Int32 { value }
    func echoLong(value: Int64) async throws -> Int64 { value }
    func echoInteger(value: Int) async throws -> Int { value }
    func echoUnsignedChar(value: UInt8) async throws -> UInt8 { value }
    func echoUnsignedShort(value: UInt16) async throws -> UInt16 { value }
    func echoUnsignedInt(value: UInt32) async throws -> UInt32 { value }
    func echoUnsignedLong(value: UInt64) async throws -> UInt64 { value }
    func echoUnsignedInteger(value: UInt) async throws -> UInt { value }
    func echoFloat(value: Float) async throws -> Float { value }
    func echoDouble(value: Double) async throws -> Double { value }
    func echoString(value: String) async throws -> String { value }
    func echoObject(value: Point) async throws -> Point { value }
}
