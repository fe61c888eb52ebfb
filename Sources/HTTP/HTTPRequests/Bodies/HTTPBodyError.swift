// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A body that cannot be built, sent or saved.
public enum HTTPBodyError: Error, Sendable, Hashable {
    /// There is no file at the path.
    case fileNotFound(path: String)
    /// The path names a directory, or something else that has no fixed size.
    case notARegularFile(path: String)
    /// The file cannot be opened or read.
    case unreadableFile(path: String, reason: String)
    /// The file cannot be created, written or replaced.
    case unwritableFile(path: String, reason: String)
    /// A stream has more bytes than the limit for saving it.
    case tooLargeToSave(limit: Int64)
    /// A file or a stream ended before the announced number of bytes.
    case tooFewBytes(announced: Int64, produced: Int64)
    /// A file or a stream produced more than the announced number of bytes.
    case tooManyBytes(announced: Int64)
    /// The announced number of bytes is negative.
    case negativeLength(Int64)
    /// A stream that can be read once was asked for again, for example by a retry.
    case streamAlreadyUsed
    /// A value of a form is an object, or an array of arrays or objects. Forms have no notation for these.
    case nestedFormValue(name: String)
    /// The value of a form is not an object, so its members have no names.
    case formWithoutNames
    /// A multipart boundary is empty, longer than 70 characters, or has characters that RFC 2046 §5.1.1 forbids.
    case illegalBoundary(String)
    /// A part contains the given boundary, so that a server would see two parts.
    case boundaryInPart(name: String)
    /// The content type or another header field of a part has a line break or another control character.
    case illegalPartHeader(name: String)
}

extension HTTPBodyError: CustomStringConvertible {
    /// What failed, and what to do.
    public var description: String {
        switch self {
        case .fileNotFound(let path): "There is no file at \(String(reflecting: path))."
        case .notARegularFile(let path):
            "\(String(reflecting: path)) is not a regular file. Use `StreamHTTPBody` for pipes and devices."
        case .unreadableFile(let path, let reason): "Could not read \(String(reflecting: path)): \(reason)."
        case .unwritableFile(let path, let reason): "Could not write \(String(reflecting: path)): \(reason)."
        case .tooLargeToSave(let limit): "The stream has more than \(limit) bytes. `limit` raises the limit."
        case .tooFewBytes(let announced, let produced):
            "The body ended after \(produced) bytes, but \(announced) were announced."
        case .tooManyBytes(let announced): "The body has more bytes than the \(announced) that were announced."
        case .negativeLength(let length): "A body cannot have \(length) bytes."
        case .streamAlreadyUsed:
            "The stream was sent before. Give `StreamHTTPBody` a closure that makes a new stream for each attempt."
        case .nestedFormValue(let name):
            "The value of \(String(reflecting: name)) is an object or a nested array, for which forms have no notation."
        case .formWithoutNames: "A form needs a value with named members, such as a struct or a dictionary."
        case .illegalBoundary(let boundary):
            "\(String(reflecting: boundary)) is not a multipart boundary: 1 to 70 letters, digits, spaces or "
                + "`'()+_,-./:=?`, without a space at the end."
        case .boundaryInPart(let name):
            "The part \(String(reflecting: name)) contains the boundary. Leave the boundary out to get a random one."
        case .illegalPartHeader(let name):
            "A header field of the part \(String(reflecting: name)) has a control character."
        }
    }
}
