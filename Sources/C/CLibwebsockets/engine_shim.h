// swift-jsonrpc · SPDX-License-Identifier: MIT
#ifndef SWIFT_JSONRPC_CLIBWEBSOCKETS_ENGINE_SHIM_H
#define SWIFT_JSONRPC_CLIBWEBSOCKETS_ENGINE_SHIM_H

// The macros and loops of lws for the engine over libwebsockets.

#include "shim.h"
#include <stdlib.h>
#include <string.h>

/// The number of bytes before a payload that lws may overwrite.
static const size_t CLWS_PRE = LWS_PRE;

/// Options of a listening vhost.
static const uint64_t CLWS_OPTION_MUST_BIND = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
static const uint64_t CLWS_OPTION_IPV4_ONLY = LWS_SERVER_OPTION_DISABLE_IPV6;
static const uint64_t CLWS_OPTION_OWN_CERTIFICATES = LWS_SERVER_OPTION_CREATE_VHOST_SSL_CTX;

/// Options of a client's connection. The certificate is checked by the handshake's own options.
static const int CLWS_CONNECT = LCCSCF_HTTP_NO_FOLLOW_REDIRECT;
static const int CLWS_CONNECT_TLS =
    LCCSCF_HTTP_NO_FOLLOW_REDIRECT | LCCSCF_USE_SSL | LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK;

/// Ends a connection without a CLOSE frame: at once, or at the beginning of the next call of `lws_service`.
static inline void CLWS_kill(struct lws *wsi, bool is_now) {
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, is_now ? LWS_TO_KILL_SYNC : LWS_TO_KILL_ASYNC);
}

/// Sets the content of the CLOSE frame. The callback then returns the result.
static inline int CLWS_close(struct lws *wsi, uint16_t code, unsigned char *reason, size_t length) {
    lws_close_reason(wsi, (enum lws_close_status)code, reason, length);
    return -1;
}

/// Writes a frame. `payload` must follow `CLWS_PRE` free bytes, and is changed. Returns false if the connection failed.
static inline bool CLWS_write(
    struct lws *wsi, unsigned char *payload, size_t length, bool is_binary, bool is_continuation, bool is_final
) {
    int type = is_continuation ? LWS_WRITE_CONTINUATION : is_binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT;
    return lws_write(wsi, payload, length, (enum lws_write_protocol)(type | (is_final ? 0 : LWS_WRITE_NO_FIN))) >= 0;
}

/// Writes a PING in the same way as `CLWS_write`.
static inline bool CLWS_ping(struct lws *wsi, unsigned char *payload, size_t length) {
    return lws_write(wsi, payload, length, LWS_WRITE_PING) >= 0;
}

/// Writes a whole answer to an HTTP request.
static inline bool CLWS_answer(struct lws *wsi, unsigned char *answer, size_t length) {
    return lws_write(wsi, answer, length, LWS_WRITE_HTTP_HEADERS) >= 0;
}

/// Receives a header field. The texts are not zero-terminated.
typedef void (*CLWS_field_visitor)(
    void *user, const char *name, size_t name_length, const char *value, size_t value_length);

static inline void CLWS_visit_field(
    struct lws *wsi, int token, CLWS_field_visitor visit, void *user, const char *name, size_t name_length
) {
    int length = lws_hdr_total_length(wsi, (enum lws_token_indexes)token);
    if (length <= 0) return;
    // lws joins the values of a repeated field by commas.
    int size = length + 256;
    char *value = (char *)malloc((size_t)size);
    if (value && lws_hdr_copy(wsi, value, size, (enum lws_token_indexes)token) >= 0)
        visit(user, name, name_length, value, strlen(value));
    free(value);
}

#if LWS_LIBRARY_VERSION_NUMBER >= 4003000 && defined(LWS_WITH_CUSTOM_HEADERS)
struct CLWS_custom_visit {
    struct lws *wsi;
    CLWS_field_visitor visit;
    void *user;
};

static inline void CLWS_visit_custom_field(const char *name, int name_length, void *opaque) {
    struct CLWS_custom_visit *to = (struct CLWS_custom_visit *)opaque;
    int length = lws_hdr_custom_length(to->wsi, name, name_length);
    if (length < 0 || name_length < 2) return;
    char *value = (char *)malloc((size_t)length + 1);
    if (value && lws_hdr_custom_copy(to->wsi, value, length + 1, name, name_length) >= 0)
        to->visit(to->user, name, (size_t)name_length - 1, value, (size_t)length);
    free(value);
}
#endif

/// Visits the header fields of a received message. Versions before 4.3 only have fields whose names lws knows.
static inline void CLWS_visit_fields(struct lws *wsi, CLWS_field_visitor visit, void *user) {
    for (int token = 0; token < WSI_TOKEN_COUNT; token++) {
        const char *name = (const char *)lws_token_to_string((enum lws_token_indexes)token);
        size_t length = name ? strlen(name) : 0;
        // The table also has methods and versions. Only fields end with a colon. Those of HTTP/2 begin with one.
        if (length >= 2 && name[length - 1] == ':' && name[0] != ':')
            CLWS_visit_field(wsi, token, visit, user, name, length - 1);
    }
#if LWS_LIBRARY_VERSION_NUMBER >= 4003000 && defined(LWS_WITH_CUSTOM_HEADERS)
    struct CLWS_custom_visit custom = { wsi, visit, user };
    lws_hdr_custom_name_foreach(wsi, CLWS_visit_custom_field, &custom);
#endif
}

/// Copies the decoded target of a GET request. Returns its length, 0 for another method, or -1 if it does not fit.
static inline int CLWS_copy_target(struct lws *wsi, char *target, int size) {
    int length = lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI);
    if (length <= 0) return 0;
    if (lws_hdr_copy(wsi, target, size, WSI_TOKEN_GET_URI) < 0) return -1;
    for (int index = 0;; index++) {
        int more = lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_URI_ARGS, index);
        if (more <= 0) return length;
        if (length + more + 2 > size) return -1;
        target[length++] = index == 0 ? '?' : '&';
        if (lws_hdr_copy_fragment(wsi, target + length, size - length, WSI_TOKEN_HTTP_URI_ARGS, index) < 0) return -1;
        length += more;
    }
}

/// Whether a request is HTTP/1.0.
static inline bool CLWS_is_http_1_0(struct lws *wsi) {
    char version[16] = "";
    return lws_hdr_copy(wsi, version, sizeof version, WSI_TOKEN_HTTP) > 0 && strncmp(version, "HTTP/1.0", 8) == 0;
}

#endif
