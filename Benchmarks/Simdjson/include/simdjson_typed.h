// swift-jsonrpc · SPDX-License-Identifier: MIT

#ifndef SIMDJSON_TYPED_H
#define SIMDJSON_TYPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a text is read as: the models of `Models.swift`, written again in C++.
typedef enum {
    simdjson_typed_owner,
    simdjson_typed_page,
    simdjson_typed_owners,
    simdjson_typed_timeline,
} simdjson_typed_model;

/// A text with the padding that simdjson reads beyond its end, a parser to be used again, and the objects read last.
typedef struct simdjson_typed simdjson_typed;

simdjson_typed *simdjson_typed_create(simdjson_typed_model model, const uint8_t *bytes, size_t count);
/// Frees the objects read last and reads them all anew. False when the text is not that of the model.
bool simdjson_typed_decode(simdjson_typed *text);
/// A sum over every value of the objects read last, to compare with that of the same objects in Swift.
uint64_t simdjson_typed_digest(const simdjson_typed *text);
void simdjson_typed_destroy(simdjson_typed *text);
/// The instructions for which the On-Demand API is compiled. Unlike the DOM it does not choose them while it runs.
const char *simdjson_typed_kernel(void);

#ifdef __cplusplus
}
#endif

#endif
