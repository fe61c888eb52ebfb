// swift-jsonrpc · SPDX-License-Identifier: MIT
#ifndef SWIFT_JSONRPC_CLIBWEBSOCKETS_TLS_SHIM_H
#define SWIFT_JSONRPC_CLIBWEBSOCKETS_TLS_SHIM_H

// What OpenSSL offers as macros only, which Swift does not import.

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

static inline long CLWS_SSL_set_server_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, (void *)name);
}

/// Adds a reference to the store.
static inline long CLWS_SSL_set_trust_store(SSL *ssl, X509_STORE *store) {
    return SSL_set1_verify_cert_store(ssl, store);
}

static inline long CLWS_SSL_set_minimum_version(SSL *ssl, int version) {
    return SSL_set_min_proto_version(ssl, version);
}

/// Adds a reference to the certificate.
static inline long CLWS_SSL_add_chain_certificate(SSL *ssl, X509 *certificate) {
    return SSL_add1_chain_cert(ssl, certificate);
}

static inline long CLWS_SSL_CTX_set_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_mode(context, mode);
}

static inline int CLWS_SSL_CTX_set_versions(SSL_CTX *context, int minimum, int maximum) {
    return SSL_CTX_set_min_proto_version(context, minimum) && SSL_CTX_set_max_proto_version(context, maximum);
}

/// Adds a reference to the certificate.
static inline long CLWS_SSL_CTX_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add1_chain_cert(context, certificate);
}

/// Adds a reference to the store.
static inline long CLWS_SSL_CTX_set_trust_store(SSL_CTX *context, X509_STORE *store) {
    return SSL_CTX_set1_verify_cert_store(context, store);
}

/// An index for a pointer that goes along with an `SSL`. `release` gets it when the `SSL` is freed.
static inline int CLWS_SSL_new_data_index(CRYPTO_EX_free *release) {
    return SSL_get_ex_new_index(0, NULL, NULL, NULL, release);
}

#endif
