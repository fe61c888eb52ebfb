// swift-jsonrpc · SPDX-License-Identifier: MIT
#ifndef SWIFT_JSONRPC_CLIBWEBSOCKETS_TLS_SHIM_H
#define SWIFT_JSONRPC_CLIBWEBSOCKETS_TLS_SHIM_H

// Functions for macros of OpenSSL, which Swift does not import.

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

/// Sets the options of every `SSL_CTX`: writes may be partial and repeated from another address, there is no
/// renegotiation, and sessions are not resumed, so that each handshake checks again.
static inline void CLWS_SSL_CTX_set_up(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 0);
}

/// OpenSSL 3's reason for an end without a close_notify. OpenSSL 1.1 reports it as a system error of 0.
#ifdef SSL_R_UNEXPECTED_EOF_WHILE_READING
static const int CLWS_UNEXPECTED_EOF = SSL_R_UNEXPECTED_EOF_WHILE_READING;
#else
static const int CLWS_UNEXPECTED_EOF = -1;
#endif

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

/// Returns an index for a pointer that is attached to an `SSL`. `release` receives it when the `SSL` is freed.
static inline int CLWS_SSL_new_data_index(CRYPTO_EX_free *release) {
    return SSL_get_ex_new_index(0, NULL, NULL, NULL, release);
}

#endif
