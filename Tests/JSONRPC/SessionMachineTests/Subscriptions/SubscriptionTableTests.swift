// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

@Suite(.inTurn) struct SubscriptionTableTests {
    private typealias Table = SubscriptionTable<String>

    private static func id(_ text: String) throws -> SubscriptionID {
        try #require(SubscriptionID(try RawJSON(validating: text)))
    }

    private static func notification(
        _ id: String, _ value: Int, kind: SubscriptionStyle.Message.Kind = .value, method: String = "n"
    ) throws -> RoutedNotification {
        let id = try Self.id(id)
        return RoutedNotification(
            route: .id(.params, id.content), id: id, kind: kind,
            notification: InboundNotification(method: method, params: try RawJSON(validating: "\(value)")))
    }

    private func time(_ seconds: Int64) -> SessionTime { SessionTime(nanoseconds: seconds * 1_000_000_000) }

    private func values(_ notifications: [RoutedNotification]) -> [String?] {
        notifications.map { $0.notification.params?.text }
    }

    // MARK: Ids

    @Test(arguments: [
        (#""0x1""#, #""0x1""#, true), ("1", "1", true), ("1", #""1""#, false), (#""\u0031""#, #""1""#, true),
        ("-0", "0", false), ("18446744073709551616", "18446744073709551616", true),
    ])
    func idsAreEqualIfTypeAndTextAreEqual(_ left: String, _ right: String, _ isEqual: Bool) throws {
        #expect((try Self.id(left) == Self.id(right)) == isEqual)
    }

    @Test(arguments: ["null", "true", "[]", "{}", "1.0", "1e2", #""\udc00""#])
    func otherValuesAreNoIDs(_ text: String) throws {
        #expect(SubscriptionID(try RawJSON(validating: text)) == nil)
    }

    @Test func anIDHasALimitedLength() throws {
        let longest = String(repeating: "x", count: SubscriptionID.maximumBytes - 2)
        #expect(try Self.id("\"\(longest)\"").json.bytes.count == SubscriptionID.maximumBytes)
        #expect(SubscriptionID(try RawJSON(validating: "\"\(longest)x\"")) == nil)
        #expect(SubscriptionID(try RawJSON(validating: String(repeating: "1", count: 2000))) == nil)
    }

    @Test(arguments: [(#""7""#, true), (#""-7""#, true), (#""07""#, false), (#""""#, false), (#""0x7""#, false)])
    func aStringWithCanonicalDigitsHasACounterpart(_ text: String, _ hasOne: Bool) throws {
        #expect((try Self.id(text).content.counterpart != nil) == hasOne)
    }

    // MARK: Early notifications

    @Test func earlyNotificationsAreBoundedInBytesRoutesAndTime() throws {
        var early = EarlyNotifications(limits: .init(count: 100, bytes: 7, routes: 2, age: .seconds(1)))
        #expect(early.keep(try Self.notification("1", 1), now: time(0)))
        #expect(early.keep(try Self.notification("2", 22), now: time(0)))
        // With this one, the bytes would exceed their limit.
        #expect(early.keep(try Self.notification("1", 3), now: time(0)))
        #expect(early.keep(try Self.notification("1", 4), now: time(0)))
        #expect(!early.keep(try Self.notification("3", 5), now: time(0)))
        #expect(early.count == 2)
        #expect(values(early.expire(now: time(1))) == ["1", "22"])
        let lane = early.take(try Self.notification("1", 0).route)
        #expect(lane.expired == 1 && lane.notifications.isEmpty && lane.dropped == 2)
        #expect(early.count == 0)
    }

    @Test func idsAndExtraMembersOfEarlyNotificationsCount() throws {
        var early = EarlyNotifications(limits: .init(bytes: 1000))
        var notification = try Self.notification("\"\(String(repeating: "x", count: 600))\"", 1)
        _ = early.keep(notification, now: time(0))
        _ = early.keep(notification, now: time(0))
        #expect(early.count == 1)
        notification = try Self.notification("2", 1)
        notification.notification.extraMembers = ["x": .string(String(repeating: "x", count: 600))]
        _ = early.keep(notification, now: time(0))
        #expect(early.count == 1)
    }

    @Test func expirySkipsNotificationsThatWereTaken() throws {
        var early = EarlyNotifications(limits: .init(age: .seconds(1)))
        #expect(early.keep(try Self.notification("1", 1), now: time(0)))
        #expect(early.keep(try Self.notification("2", 2), now: time(0)))
        #expect(values(early.take(try Self.notification("1", 0).route).notifications) == ["1"])
        #expect(early.keep(try Self.notification("1", 3), now: time(1)))
        #expect(values(early.expire(now: time(1))) == ["2"])
        #expect(values(early.take(try Self.notification("1", 0).route).notifications) == ["3"])
    }

    @Test func anEarlyEndComesAfterTheEarlyValues() throws {
        var table = Table()
        table.sessionBegan()
        let (key, _, step) = table.joined(
            SubscriptionRequest("s", unsubscribe: "u"), "a", isShared: false, isRenewed: true)
        #expect(step == .subscribe)
        let session = table.requestBegan(key)
        for kind in [SubscriptionStyle.Message.Kind.value, .error, .value] {
            guard case .keep = table.arrived(try Self.notification("1", 1, kind: kind), now: time(0)) else {
                return #expect(Bool(false))
            }
        }
        guard case .activate(let activation) = table.answered(key, in: session, id: try Self.id("1"), now: time(0))
        else { return #expect(Bool(false)) }
        #expect(activation.early.count == 1 && activation.end?.kind == .error)
        #expect(table.entries.isEmpty)
    }

    // MARK: Invariants

    /// Random events, in any order, also in orders that peers and consumers never produce.
    @Test(arguments: 0..<40) func theIndicesFitTheEntries(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var table = Table()
        var members: [(Table.Key, UInt64)] = []
        let styles = [SubscriptionStyle.ethereum, .jsonrpsee, .ethereum(notification: "n"), .methodName("n")]
        for step in 0..<400 {
            let key = members.randomElement(using: &random)?.0 ?? 0
            let id = "\(Int.random(in: 0..<6, using: &random))"
            let now = time(Int64(step))
            switch Int.random(in: 0..<13, using: &random) {
            case 0, 1, 2:
                let request = SubscriptionRequest(
                    "s\(Int.random(in: 0..<2, using: &random))", unsubscribe: "u",
                    style: styles[Int.random(in: 0..<4, using: &random)])
                let joined = table.joined(
                    request, "\(step)", isShared: .random(using: &random), isRenewed: .random(using: &random))
                members.append((joined.key, joined.member))
            case 3, 4:
                if let index = members.indices.randomElement(using: &random) {
                    let (key, member) = members.remove(at: index)
                    _ = table.left(key, member: member)
                }
            case 5, 6: _ = table.answered(key, in: table.requestBegan(key), id: try Self.id(id), now: now)
            case 7: _ = table.failed(key, in: nil, awaitsAnswer: .random(using: &random))
            case 8:
                let request = SubscriptionRequest("s0", unsubscribe: "u")
                _ = table.answeredLate(key, request, id: try Self.id(id), isError: .random(using: &random))
            case 9: if table.isConnected { _ = table.sessionEnded() } else { table.sessionBegan() }
            case 10: _ = table.renewalsBegan()
            default:
                let kinds: [SubscriptionStyle.Message.Kind] = [.value, .value, .value, .error, .completed]
                let kind = kinds.randomElement(using: &random) ?? .value
                _ = table.arrived(try Self.notification(id, step, kind: kind), now: now)
            }
            check(table)
        }
        #expect(table.ended().count <= members.count)
        check(table)
        #expect(table.entries.isEmpty && table.routes.isEmpty && table.pending.isEmpty && table.shared.isEmpty)
        #expect(table.early.isEmpty)
    }

    private func check(_ table: Table, sourceLocation: SourceLocation = #_sourceLocation) {
        let pending = table.entries.values.count { $0.phase.isPending }
        #expect(table.pending.values.reduce(0, +) == pending, sourceLocation: sourceLocation)
        let targets = table.routes.values.flatMap { $0 }
        #expect(targets.count == table.entries.values.count { $0.route != nil }, sourceLocation: sourceLocation)
        let active = table.entries.filter { if case .active = $0.value.phase { true } else { false } }
        #expect(targets.count == active.count, sourceLocation: sourceLocation)
        for (key, entry) in table.entries {
            #expect(entry.consumers.count == entry.members.count, sourceLocation: sourceLocation)
            #expect(entry.consumers.isEmpty == (entry.phase == .abandoned), sourceLocation: sourceLocation)
            let target = entry.route.flatMap { table.routes[$0]?.first { $0.key == key } }
            #expect(target?.consumers == (entry.route == nil ? nil : entry.consumers), sourceLocation: sourceLocation)
            if entry.route == nil { #expect(!targets.contains { $0.key == key }, sourceLocation: sourceLocation) }
        }
        if pending == 0 { #expect(table.early.isEmpty, sourceLocation: sourceLocation) }
        for key in table.shared.values {
            #expect(table.entries[key]?.isShared == true, sourceLocation: sourceLocation)
        }
    }
}
