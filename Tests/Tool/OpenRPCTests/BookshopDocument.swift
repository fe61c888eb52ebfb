// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A description with the common features of descriptions.
let bookshopDocument = #"""
    {
      "openrpc": "1.3.2",
      "info": {"title": "Book shop", "version": "1.0.0", "description": "Sells books.\nAll day."},
      "servers": [{"name": "main", "url": "ws://localhost:9000"}],
      "methods": [
        {
          "name": "books.find",
          "summary": "Finds books.",
          "description": "In the order of their titles.",
          "paramStructure": "by-name",
          "params": [
            {"name": "query", "required": true, "schema": {"type": "string", "description": "A part of the title."}},
            {"name": "max-count", "schema": {"type": "integer", "minimum": 1}},
            {"$ref": "#/components/contentDescriptors/Genre"}
          ],
          "result": {"name": "books", "schema": {"type": "array", "items": {"$ref": "#/components/schemas/book"}}},
          "errors": [{"code": -32000, "message": "Too many"}, {"$ref": "#/components/errors/Closed"}]
        },
        {
          "name": "order",
          "deprecated": true,
          "paramStructure": "by-position",
          "params": [
            {"name": "book", "required": true, "schema": {"$ref": "#/components/schemas/book"}},
            {"name": "in", "required": true, "schema": {"oneOf": [{"type": "string"}, {"$ref": "#/components/schemas/Address"}]}},
            {"name": "gift", "schema": {"type": ["boolean", "null"]}}
          ],
          "result": {"name": "receipt", "schema": {
            "type": "object",
            "required": ["number", "paid_at"],
            "properties": {
              "number": {"type": "integer"},
              "paid_at": {"oneOf": [{"type": "number"}, {"type": "null"}]},
              "lines": {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "number"}}}}
            }
          }}
        },
        {"name": "log", "params": [{"name": "line", "required": true, "schema": {"type": "string"}}]},
        {"name": "ping", "params": [], "result": {"name": "nothing", "schema": {"type": "null"}}},
        {"name": "shelf", "params": [], "result": {"name": "shelf", "schema": {"$ref": "#/components/schemas/Shelf"}}},
        {"name": "any-thing", "params": [], "result": {"name": "it", "schema": true}}
      ],
      "components": {
        "contentDescriptors": {
          "Genre": {"name": "genre", "schema": {"$ref": "#/components/schemas/genre"}}
        },
        "errors": {"Closed": {"code": -32001, "message": "Closed"}},
        "schemas": {
          "genre": {"enum": ["crime", "science fiction", "default", null]},
          "book": {
            "type": "object",
            "description": "A book.",
            "required": ["id", "title"],
            "properties": {
              "id": {"type": "integer", "description": "Its number."},
              "title": {"type": "string"},
              "self": {"type": "string"},
              "ISBNNumber": {"type": "string"},
              "page_count": {"type": "integer"},
              "sequel": {"$ref": "#/components/schemas/book"},
              "related": {"type": "array", "items": {"$ref": "#/components/schemas/book"}},
              "stars": {"enum": [1, 2, -1]},
              "extra": {}
            }
          },
          "Address": {
            "allOf": [
              {"$ref": "#/components/schemas/Place"},
              {"type": "object", "required": ["street"], "properties": {"street": {"type": "string"}}}
            ]
          },
          "Place": {"type": "object", "properties": {"city": {"type": "string"}, "street": {"type": "integer"}}},
          "Shelf": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Row"}},
          "Row": {"type": "array", "items": {"$ref": "#/components/schemas/Row"}}
        }
      }
    }
    """#
