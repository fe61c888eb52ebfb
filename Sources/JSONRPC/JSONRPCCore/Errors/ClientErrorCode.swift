// swift-jsonrpc · SPDX-License-Identifier: MIT

extension ClientError {
    /// The kind of failure. Later versions may add kinds.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case notConnected, connectFailed, closed, connectionLost, timedOut, encodingFailed, decodingFailed
            case protocolViolation, batchTooLarge, requestIDInUse, alreadyConnected
            case missingResponse, emptyBatch, transportFailed, listenFailed
        }

        private let kind: Kind

        private init(_ kind: Kind) { self.kind = kind }

        /// There is no connection, and the call may not wait for one. `cause` holds the reason, if there is one.
        public static let notConnected = Code(.notConnected)
        /// The connection could not be established. `cause` holds the reason.
        public static let connectFailed = Code(.connectFailed)
        /// The connection was closed from this side.
        public static let closed = Code(.closed)
        /// The connection ended: the peer closed it, or it failed.
        public static let connectionLost = Code(.connectionLost)
        /// No response arrived before the timeout, or there was no connection until then. In the second case, `cause`
        /// holds the reason.
        public static let timedOut = Code(.timedOut)
        /// The params could not be encoded, or are neither an array nor an object. `cause` holds the encoder's error.
        public static let encodingFailed = Code(.encodingFailed)
        /// The result could not be decoded as the type that the caller asked for. `cause` holds the decoder's error.
        public static let decodingFailed = Code(.decodingFailed)
        /// The peer's answer is not a valid response. ``ClientError/irregularity`` holds the reason,
        /// ``ClientError/received`` the answer.
        public static let protocolViolation = Code(.protocolViolation)
        /// A batch has more members than the session allows calls in flight.
        public static let batchTooLarge = Code(.batchTooLarge)
        /// The id generator returned the id of a call in flight.
        public static let requestIDInUse = Code(.requestIDInUse)
        /// `connect()` was called on a client that has been connected before.
        public static let alreadyConnected = Code(.alreadyConnected)
        /// An answer arrived that holds no response to this request. ``ClientError/received`` holds the answer.
        public static let missingResponse = Code(.missingResponse)
        /// A batch has no members, which JSON-RPC 2.0 §6 forbids.
        public static let emptyBatch = Code(.emptyBatch)
        /// A transport failed, or an interceptor threw an error that is not of this package. `cause` holds the reason.
        public static let transportFailed = Code(.transportFailed)
        /// A listener could not be started. `cause` holds the reason.
        public static let listenFailed = Code(.listenFailed)

        public var description: String { kind.rawValue }
    }
}
