// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation

/// A document as a graph of class instances, which is made from the dictionaries of `JSONSerialization`.
final class ObjectGraph {
    class Resource {
        let type: String
        let id: String
        var links: [String: String] = [:]

        required init(type: String, id: String) {
            self.type = type
            self.id = id
        }

        func read(_ attributes: [String: Any]) {}
        func link(_ name: String, _ targets: [Resource]) {}
    }

    final class Article: Resource {
        var title: String?
        var wordCount: Int?
        var rating: Double?
        var isPublic: Bool?
        var author: Person?
        var comments: [Comment] = []

        override func read(_ attributes: [String: Any]) {
            title = attributes["title"] as? String
            wordCount = attributes["wordCount"] as? Int
            rating = attributes["rating"] as? Double
            isPublic = attributes["isPublic"] as? Bool
        }

        override func link(_ name: String, _ targets: [Resource]) {
            switch name {
            case "author": author = targets.first as? Person
            case "comments": comments = targets.compactMap { $0 as? Comment }
            default: break
            }
        }
    }

    final class Person: Resource {
        var name: String?
        var email: String?
        var age: Int?

        override func read(_ attributes: [String: Any]) {
            name = attributes["name"] as? String
            email = attributes["email"] as? String
            age = attributes["age"] as? Int
        }
    }

    final class Comment: Resource {
        var text: String?
        var likes: Int?
        var author: Person?

        override func read(_ attributes: [String: Any]) {
            text = attributes["text"] as? String
            likes = attributes["likes"] as? Int
        }

        override func link(_ name: String, _ targets: [Resource]) { author = targets.first as? Person }
    }

    private struct Key: Hashable {
        var type: String
        var id: String
    }

    private static let classes: [String: Resource.Type] = [
        "articles": Article.self, "people": Person.self, "comments": Comment.self,
    ]

    private(set) var articles: [Article] = []
    private var index: [Key: Resource] = [:]

    init(_ data: Data) throws {
        guard let document = try JSONSerialization.jsonObject(with: data) as? [String: Any] else { return }
        let primary = document["data"] as? [[String: Any]] ?? []
        let all = primary + (document["included"] as? [[String: Any]] ?? [])
        let resources = all.compactMap(Self.resource)
        for resource in resources { index[Key(type: resource.type, id: resource.id)] = resource }
        for (object, resource) in zip(all, resources) {
            for (name, value) in object["relationships"] as? [String: Any] ?? [:] {
                guard let relationship = value as? [String: Any] else { continue }
                resource.link(name, identifiers(relationship["data"]).compactMap { index[$0] })
            }
        }
        articles = resources.prefix(primary.count).compactMap { $0 as? Article }
    }

    private static func resource(_ object: [String: Any]) -> Resource? {
        guard let type = object["type"] as? String, let id = object["id"] as? String else { return nil }
        let resource = (classes[type] ?? Resource.self).init(type: type, id: id)
        resource.links = object["links"] as? [String: String] ?? [:]
        resource.read(object["attributes"] as? [String: Any] ?? [:])
        return resource
    }

    private func identifiers(_ data: Any?) -> [Key] {
        let objects = data as? [[String: Any]] ?? (data as? [String: Any]).map { [$0] } ?? []
        return objects.compactMap { object in
            guard let type = object["type"] as? String, let id = object["id"] as? String else { return nil }
            return Key(type: type, id: id)
        }
    }
}
