// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI

/// Shows the body of a `PATCH` after one change of an article with five comments: what changed beside everything.
func showUpdates() throws {
    let document = try JSONAPIDocument(parsing: CompoundText.articles(included: 10))
    guard var article = try document.resources(as: Article.self).first else { return }
    article.title = "Another title"
    show("\nThe body of a PATCH after one change:\n")
    show("| sent | bytes | time | allocations |\n|---|---|---|---|")
    for (name, selection) in [("the change", FieldSelection.changes), ("all fields", .all)] {
        let body = RawDocument(data: .single(try article.resourceObject(sending: selection))).bytes
        let cost = try Measurement.cost {
            keep(RawDocument(data: .single(try article.resourceObject(sending: selection))).bytes)
        }
        show("| \(name) | \(body.count) | \(Int(cost.nanoseconds)) ns | \(Int(cost.allocations)) |")
    }
}
