// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// The owner of a descriptor. It is called on the service thread.
package protocol DescriptorOwner: AnyObject {
    /// Tells the owner that there are bytes to read, or the end of the stream.
    func readable()
    /// Tells the owner that there is room to write, after ``LoopDescriptor/awaitRoom()``.
    func writable()
    /// Tells the owner that the connection has failed or hung up. The descriptor is closed after this method
    /// returns. Received bytes can still be read.
    func closing()
}

/// A descriptor that an event loop polls and closes. Only its owner reads and writes it.
package final class LoopDescriptor {
    package let number: Int32
    /// The key of its events, from a ``DescriptorTable``.
    let key: UInt64
    private unowned let context: LWSContext
    /// The owner, which also retains the descriptor. Closing the descriptor breaks the cycle.
    private(set) var owner: (any DescriptorOwner)?
    package private(set) var isReading = true
    private var awaitsRoom = false
    private var isOpen = true
    /// The events that the kernel reports.
    private var polled = LoopDescriptor.input
    /// Whether the context must change the polled events before it polls again. Only the context clears it.
    var isChanging = false

    private static let input = EPOLLIN.rawValue
    private static let room = EPOLLOUT.rawValue
    /// The events of a connection that has failed or hung up. They are always reported.
    private static let end = EPOLLERR.rawValue | EPOLLHUP.rawValue

    /// Makes the context poll a descriptor for reading. Returns `nil` if the kernel cannot poll it. The caller must
    /// then close it.
    init?(_ number: Int32, key: UInt64, context: LWSContext) {
        self.number = number
        self.key = key
        self.context = context
        guard context.raw.epoll.add(number, key: key, events: Self.input) else { return nil }
    }

    /// Makes an object the owner, in place of an earlier one.
    package func setOwner(_ owner: any DescriptorOwner) { self.owner = owner }

    /// Requests one call of ``DescriptorOwner/writable()``, when there is room to write.
    package func awaitRoom() {
        context.assertOnThread()
        awaitsRoom = true
        change()
    }

    package func setReading(_ isReading: Bool) {
        context.assertOnThread()
        self.isReading = isReading
        change()
    }

    /// The change is applied at the end of the pass, so a pass costs at most one system call per descriptor.
    private func change() {
        guard isOpen, !isChanging else { return }
        isChanging = true
        context.pollDiffers(of: self)
    }

    /// Polls for the events that are needed now.
    func applyChange() {
        isChanging = false
        let wanted = (isReading ? Self.input : 0) | (awaitsRoom ? Self.room : 0)
        guard isOpen, wanted != polled else { return }
        polled = wanted
        context.raw.epoll.change(number, key: key, events: wanted)
    }

    func handle(_ events: UInt32) {
        if events & Self.room != 0, awaitsRoom {
            awaitsRoom = false
            change()
            owner?.writable()
        }
        if events & Self.input != 0 {
            if isReading { owner?.readable() }
        } else if events & Self.end != 0, isOpen {
            // Nothing can be read, or reading is off. No other event would stop this report.
            release()
            let owner = owner
            self.owner = nil
            owner?.closing()
            Glibc.close(number)
        }
    }

    /// Closes the descriptor. Its owner receives no more calls.
    package func close() {
        context.assertOnThread()
        owner = nil
        guard isOpen else { return }
        release()
        Glibc.close(number)
    }

    private func release() {
        isOpen = false
        context.forget(self)
        context.raw.epoll.remove(number)
    }
}

/// The descriptors of a context by their keys. A key is a place, which is used again, and a number, which is not. So a
/// late event finds no descriptor.
struct DescriptorTable {
    private var places: [LoopDescriptor?] = []
    private var freePlaces: [UInt32] = []
    private var number: UInt32 = 0

    var isEmpty: Bool { freePlaces.count == places.count }

    var all: [LoopDescriptor] { places.compactMap(\.self) }

    var nextKey: UInt64 { UInt64(number) << 32 | UInt64(freePlaces.last ?? UInt32(places.count)) }

    subscript(key: UInt64) -> LoopDescriptor? {
        guard let descriptor = places[Self.place(key)], descriptor.key == key else { return nil }
        return descriptor
    }

    mutating func insert(_ descriptor: LoopDescriptor) {
        number &+= 1
        if freePlaces.popLast() == nil { places.append(nil) }
        places[Self.place(descriptor.key)] = descriptor
    }

    mutating func remove(_ descriptor: LoopDescriptor) {
        places[Self.place(descriptor.key)] = nil
        freePlaces.append(UInt32(truncatingIfNeeded: descriptor.key))
    }

    private static func place(_ key: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: key)) }
}

/// A set of descriptors that the kernel watches (epoll(7)). The set is also a descriptor, which is readable if one of
/// its descriptors is ready. The cost depends on the ready descriptors, and not, as with poll(2), on all of them.
struct EpollSet {
    let number: Int32

    /// Makes an empty set. Returns `nil` if there is no free descriptor, with the reason in `errno`.
    init?() {
        number = epoll_create1(Int32(EPOLL_CLOEXEC))
        if number < 0 { return nil }
    }

    /// Adds a descriptor. Returns `false` if the kernel cannot watch it.
    func add(_ descriptor: Int32, key: UInt64, events: UInt32) -> Bool {
        var event = unsafe epoll_event(events: events, data: epoll_data_t(u64: key))
        return unsafe epoll_ctl(number, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    func change(_ descriptor: Int32, key: UInt64, events: UInt32) {
        var event = unsafe epoll_event(events: events, data: epoll_data_t(u64: key))
        unsafe epoll_ctl(number, EPOLL_CTL_MOD, descriptor, &event)
    }

    func remove(_ descriptor: Int32) { epoll_ctl(number, EPOLL_CTL_DEL, descriptor, nil) }

    /// Stores the events of descriptors that are ready now, and returns their number. It does not wait. Descriptors
    /// that do not fit are reported next time.
    @unsafe func ready(_ events: UnsafeMutableBufferPointer<epoll_event>) -> Int {
        guard let start = events.baseAddress else { return 0 }
        return max(0, Int(unsafe epoll_wait(number, start, Int32(events.count), 0)))
    }
}
