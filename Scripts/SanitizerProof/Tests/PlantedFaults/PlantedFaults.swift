// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Testing

@Suite struct PlantedFaults {
    /// Two threads add to one integer, and nothing orders one after the other.
    @Test func dataRace() {
        // Shared without any protection: that is the fault.
        nonisolated(unsafe) let counter = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        counter.initialize(to: 0)
        let finished = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            Thread.detachNewThread {
                counter.pointee &+= 1
                finished.signal()
            }
        }
        finished.wait()
        finished.wait()
        #expect(counter.pointee > 0)
        counter.deallocate()
    }

    /// Reads one byte behind the end of an allocation.
    @Test func overflow() {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 8)
        bytes.initialize(repeating: 1, count: 8)
        let length = bytes[7] == 1 ? 8 : 0
        let sum = (0...length).reduce(0) { $0 + Int(bytes[$1]) }
        #expect(sum >= 8)
        bytes.deallocate()
    }
}
