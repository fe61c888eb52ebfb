// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes text into HTML and SVG.
enum HTMLText {
    /// Returns the text for the content of an element or a quoted attribute. Control characters and characters that
    /// change the direction of text become visible escapes.
    static func escape(_ text: String) -> String {
        var output = ""
        for scalar in TerminalText.line(text).unicodeScalars {
            switch scalar {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\"": output += "&quot;"
            case "'": output += "&#39;"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
