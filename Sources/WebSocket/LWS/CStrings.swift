// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Calls `body` with the strings as C strings, `nil` for `nil`. They live until it returns.
@unsafe func withCStrings<Result>(
    _ strings: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result
) -> Result {
    var pointers: [UnsafePointer<CChar>?] = unsafe []
    func descend(_ index: Int) -> Result {
        guard index < strings.count else { return unsafe body(pointers) }
        guard let string = strings[index] else {
            unsafe pointers.append(nil)
            return descend(index + 1)
        }
        return unsafe string.withCString { pointer in
            unsafe pointers.append(pointer)
            return descend(index + 1)
        }
    }
    return descend(0)
}
