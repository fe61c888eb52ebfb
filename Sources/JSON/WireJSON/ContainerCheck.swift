// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A place that keyed containers of the standard library refer to.
protocol ContainerPlace {
    /// Whether the containers are references to boxes. ``ContainerCheck`` verifies it once per process.
    static var hasBoxedContainers: Bool { get }
}

/// Verifies the assumption of ``ContainerBoxes`` for the standard library at run time.
enum ContainerCheck {
    /// Returns whether a container is one strong reference to an object, and whether a copy of the container is another
    /// reference to that object.
    @inline(never)
    static func isReferenceToBox<Container>(_ make: () -> Container) -> Bool {
        var container = make()
        guard MemoryLayout<Container>.size == MemoryLayout<UInt>.size, let box = addressOfBox(in: container) else {
            return false
        }
        // Compares numbers. The container's bits are not used as a reference until they are known to be one.
        guard unsafe withUnsafeBytes(of: container, { unsafe $0.load(as: UInt.self) }) == box else { return false }
        guard isUnique(&container) else { return false }
        do {
            let copy = container
            guard withExtendedLifetime(copy, { !isUnique(&container) }) else { return false }
        }
        return isUnique(&container)
    }

    /// Returns the address of the object that is the container's only stored property, found by reflection.
    @inline(never)
    private static func addressOfBox<Container>(in container: Container) -> UInt? {
        let children = Mirror(reflecting: container).children
        guard children.count == 1, let child = children.first, type(of: child.value) is AnyClass else {
            return nil
        }
        return UInt(bitPattern: ObjectIdentifier(child.value as AnyObject))
    }

    @inline(never)
    private static func isUnique<Container>(_ container: inout Container) -> Bool {
        // The size and the bits show that the container is a reference. An optional reference has the same layout.
        unsafe withUnsafeMutablePointer(to: &container) { pointer in
            unsafe pointer.withMemoryRebound(to: AnyObject?.self, capacity: 1) { reference in
                unsafe isKnownUniquelyReferenced(&reference.pointee)
            }
        }
    }
}

extension ContainerPlace {
    /// Returns whether the containers that a function makes are references to boxes. The place stays uninitialised.
    fileprivate static func areBoxed<Container>(_ make: (UnsafeMutablePointer<Self>) -> Container) -> Bool {
        let place = UnsafeMutablePointer<Self>.allocate(capacity: 1)
        defer { unsafe place.deallocate() }
        return ContainerCheck.isReferenceToBox { unsafe make(place) }
    }
}

extension KeyedPlace: ContainerPlace {
    static let hasBoxedContainers = unsafe areBoxed {
        unsafe KeyedDecodingContainer(KeyedMembers<AnyCodingKey>($0, owner: nil))
    }
}

extension KeyedOutputPlace: ContainerPlace {
    static let hasBoxedContainers = unsafe areBoxed {
        unsafe KeyedEncodingContainer(KeyedOutput<AnyCodingKey>($0, owner: nil))
    }
}
