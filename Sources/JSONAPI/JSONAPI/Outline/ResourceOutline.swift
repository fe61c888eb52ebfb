// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The places of the parts of a resource object in a ``JSONTree``. 0 stands for an absent part.
struct ResourceOutline: Sendable {
    /// The object itself.
    var object: Int32
    var type: Int32 = 0
    var id: Int32 = 0
    var lid: Int32 = 0
    var attributes: Int32 = 0
    var relationships: Int32 = 0
    var links: Int32 = 0
    var meta: Int32 = 0

    /// Whether the object can be an identifier, as ``ResourceObject/isBare``.
    var isBare: Bool { attributes == 0 && relationships == 0 && links == 0 }
}
