// swift-jsonrpc · SPDX-License-Identifier: MIT

#ifndef SIMDJSON_DOCUMENT_H
#define SIMDJSON_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A text with the padding that simdjson reads beyond its end, and a parser to be used again: its best case.
typedef struct simdjson_document simdjson_document;

simdjson_document *simdjson_document_create(const uint8_t *bytes, size_t count);
/// Parses the text as a document. False when it is no JSON.
bool simdjson_document_parse(simdjson_document *document);
void simdjson_document_destroy(simdjson_document *document);
/// The instructions that simdjson has chosen for this processor.
const char *simdjson_document_kernel(void);

#ifdef __cplusplus
}
#endif

#endif
