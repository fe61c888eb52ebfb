// swift-jsonrpc · SPDX-License-Identifier: MIT

#include "simdjson_document.h"

#include <simdjson.h>

#include <string>

struct simdjson_document {
    simdjson::padded_string text;
    simdjson::dom::parser parser;
};

extern "C" simdjson_document *simdjson_document_create(const uint8_t *bytes, size_t count) {
    return new simdjson_document{simdjson::padded_string(reinterpret_cast<const char *>(bytes), count), simdjson::dom::parser()};
}

extern "C" bool simdjson_document_parse(simdjson_document *document) {
    return document->parser.parse(document->text).error() == simdjson::SUCCESS;
}

extern "C" void simdjson_document_destroy(simdjson_document *document) {
    delete document;
}

extern "C" const char *simdjson_document_kernel(void) {
    static const std::string name = simdjson::get_active_implementation()->name();
    return name.c_str();
}
