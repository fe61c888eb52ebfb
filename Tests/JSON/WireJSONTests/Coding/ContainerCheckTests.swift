// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import WireJSON

/// Boxes of keyed containers are reused only if the standard library's containers are references to boxes.
@Suite(.inTurn) struct ContainerCheckTests {
    private final class Box { var number = 1 }
    private struct Reference { var box = Box() }
    private struct ReferenceAndNumber { var box = Box(), number = 1 }
    private struct Number { var number: UInt = 0 }
    private struct Wrapped { var array = [1, 2, 3] }

    @Test func containersOfThisStandardLibraryAreReferencesToBoxes() {
        #expect(KeyedPlace.hasBoxedContainers)
        #expect(KeyedOutputPlace.hasBoxedContainers)
    }

    @Test func oneReferenceIsRecognised() {
        #expect(ContainerCheck.isReferenceToBox { Reference() })
    }

    @Test func containersOfAnotherFormAreRefused() {
        #expect(!ContainerCheck.isReferenceToBox { ReferenceAndNumber() })
        #expect(!ContainerCheck.isReferenceToBox { Number() })
        #expect(!ContainerCheck.isReferenceToBox { Wrapped() })
        #expect(!ContainerCheck.isReferenceToBox { 1 })
    }

    @Test func aBoxThatSomebodyElseRefersToIsRefused() {
        let shared = Box()
        #expect(!ContainerCheck.isReferenceToBox { Reference(box: shared) })
    }

    /// The place of a container that is not a reference to a box.
    private struct OtherPlace: ContainerPlace {
        static var hasBoxedContainers: Bool { false }
    }

    @Test func noBoxIsKeptWhereTheCheckFails() {
        var boxes = ContainerBoxes<OtherPlace>()
        var made = 0
        let container = boxes.keep(for: ObjectIdentifier(Box.self), at: OtherPlace()) { _ in
            made += 1
            return Reference()
        }
        #expect(container == nil && made == 0)
        // The reference is only compared with nil.
        let kept: Unmanaged<KeptContainer<Reference>>? = boxes.container(
            for: ObjectIdentifier(Box.self), at: OtherPlace())
        #expect(kept == nil)
        let areIdle = boxes.areIdle()
        #expect(areIdle)
    }
}
