// swift-jsonrpc · SPDX-License-Identifier: MIT
//
// An HTTP/1.1 server in C over libwebsockets. It answers
//
//   GET any path  with a document of about 200 bytes
//   POST /rpc     with JSON-RPC responses whose results are the params, as an array if the body is an array
//   POST others   with the body
//
// and prints the port on which it listens. It trusts its client: it is for measurements only.

#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct text {
    char *bytes;
    size_t length, capacity;
};

struct exchange {
    struct text body, answer;
    int is_rpc;
};

static const char document[] =
    "{\"id\":3141592,\"name\":\"nio\",\"owner\":{\"id\":27182,\"login\":\"swift\"},\"isPrivate\":false,\"stars\":8123,"
    "\"topics\":[\"networking\",\"non-blocking\",\"asynchronous\"],"
    "\"description\":\"An event-driven framework for protocol servers and clients\"}";

static void append(struct text *text, const char *bytes, size_t length) {
    if (text->length + length > text->capacity) {
        text->capacity = (text->length + length) * 2;
        text->bytes = realloc(text->bytes, text->capacity);
        if (!text->bytes) _exit(1);
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

static void append_string(struct text *text, const char *string) { append(text, string, strlen(string)); }

// Returns the end of the JSON value at `from`, without regard to brackets in strings, which the clients do not send.
static const char *value_end(const char *from, const char *end) {
    int depth = 0;
    for (const char *at = from; at < end; at++) {
        if (*at == '{' || *at == '[') depth++;
        if (depth == 0 && (*at == ',' || *at == '}' || *at == ']')) return at;
        if (*at == '}' || *at == ']') depth--;
    }
    return end;
}

static void answer_call(struct text *answer, const char *call, const char *end) {
    size_t length = (size_t)(end - call);
    const char *id = memmem(call, length, "\"id\":", 5), *params = memmem(call, length, "\"params\":", 9);
    if (!id) return;
    id += 5;
    append_string(answer, answer->length > 1 ? ",{\"jsonrpc\":\"2.0\",\"id\":" : "{\"jsonrpc\":\"2.0\",\"id\":");
    append(answer, id, (size_t)(value_end(id, end) - id));
    append_string(answer, ",\"result\":");
    if (params) {
        params += 9;
        append(answer, params, (size_t)(value_end(params, end) - params));
    } else {
        append_string(answer, "null");
    }
    append_string(answer, "}");
}

static void answer_message(struct exchange *exchange) {
    const char *at = exchange->body.bytes, *end = at + exchange->body.length;
    int is_array = at < end && *at == '[';
    exchange->answer.length = 0;
    if (!is_array) {
        answer_call(&exchange->answer, at, end);
        return;
    }
    append_string(&exchange->answer, "[");
    for (at++; at < end && *at == '{';) {
        const char *call_end = value_end(at, end);
        answer_call(&exchange->answer, at, call_end);
        at = call_end + 1;
    }
    append_string(&exchange->answer, "]");
}

static int write_answer(struct lws *wsi, const char *bytes, size_t length) {
    static struct text message;
    char head[128];
    int head_length = snprintf(
        head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", length);
    message.length = 0;
    append(&message, (char[LWS_PRE]){0}, LWS_PRE);
    append(&message, head, (size_t)head_length);
    append(&message, bytes, length);
    if (lws_write(wsi, (uint8_t *)message.bytes + LWS_PRE, message.length - LWS_PRE, LWS_WRITE_HTTP_FINAL) < 0) return -1;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    struct exchange *exchange = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        exchange->body.length = 0;
        exchange->is_rpc = !strcmp(in, "/rpc");
        return lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) ? 0 : write_answer(wsi, document, sizeof document - 1);
    case LWS_CALLBACK_HTTP_BODY: append(&exchange->body, in, length); return 0;
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        if (!exchange->is_rpc) return write_answer(wsi, exchange->body.bytes, exchange->body.length);
        answer_message(exchange);
        return write_answer(wsi, exchange->answer.bytes, exchange->answer.length);
    case LWS_CALLBACK_CLOSED_HTTP:
        if (!exchange) return 0;  // There was no request.
        free(exchange->body.bytes);
        free(exchange->answer.bytes);
        memset(exchange, 0, sizeof *exchange);
        return 0;
    default: return 0;
    }
}

int main(void) {
    const struct lws_protocols protocols[] = {
        {.name = "server", .callback = on_event, .per_session_data_size = sizeof(struct exchange)}, {0}};
    lws_set_log_level(LLL_ERR, NULL);
    struct lws_context_creation_info info = {
        .port = 0, .iface = "127.0.0.1", .protocols = protocols, .keepalive_timeout = 60, .timeout_secs = 60,
        .max_http_header_pool = 1024, .pt_serv_buf_size = 65536};
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
    struct lws_context *context = lws_create_context(&info);
    struct lws_vhost *vhost = context ? lws_create_vhost(context, &info) : NULL;
    if (!vhost) return 1;
    printf("listening on port %d\n", lws_get_vhost_listen_port(vhost));
    fflush(stdout);
    while (lws_service(context, 0) >= 0) {}
    return 0;
}
