// swift-jsonrpc · SPDX-License-Identifier: MIT
//
// A JSON-RPC server in C over libwebsockets, which puts many frames into one write. It answers
//
//   blob [N]       with a string of N bytes, in one frame
//   anything else  with its own params
//
// and prints the port on which it listens. It trusts its client: it is for measurements alone.
//
//   lws-server [CERTIFICATE KEY]   with the files of a certificate and its key, over TLS

#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGEST_WRITE 65536

struct session {
    uint8_t *outbox;  // LWS_PRE free bytes, then the frames
    size_t start, end, capacity;
    char *message;
    size_t message_length, message_capacity;
};

static void *grown(void *memory, size_t size) {
    memory = realloc(memory, size);
    if (!memory) _exit(1);
    return memory;
}

static uint8_t *room(struct session *s, size_t size) {
    if (s->start == s->end) s->start = s->end = 0;
    if (LWS_PRE + s->end + size > s->capacity) {
        s->capacity = (LWS_PRE + s->end + size) * 2;
        s->outbox = grown(s->outbox, s->capacity);
    }
    uint8_t *to = s->outbox + LWS_PRE + s->end;
    s->end += size;
    return to;
}

static void put_header(struct session *s, size_t length) {
    uint8_t header[10] = {0x81};
    size_t size = 2;
    if (length < 126) {
        header[1] = (uint8_t)length;
    } else {
        size_t bytes = length < 65536 ? 2 : 8;
        header[1] = bytes == 2 ? 126 : 127;
        for (size_t i = 0; i < bytes; i++) header[2 + i] = (uint8_t)((uint64_t)length >> 8 * (bytes - 1 - i));
        size = 2 + bytes;
    }
    memcpy(room(s, size), header, size);
}

static void respond(struct session *s, const char *text, size_t length) {
    const char *id = memmem(text, length, "\"id\":", 5), *params = memmem(text, length, "\"params\":", 9);
    if (!id) return;
    id += 5;
    size_t id_length = 0;
    while (id + id_length < text + length && id[id_length] != ',' && id[id_length] != '}') id_length++;
    size_t params_length = 0;
    if (params) {
        params += 9;
        size_t depth = 0;
        do {
            char c = params[params_length++];
            depth += c == '[' || c == '{';
            depth -= c == ']' || c == '}';
        } while (depth && params + params_length < text + length);
    } else {
        params = "null";
        params_length = 4;
    }
    char head[128];
    size_t head_length =
        (size_t)snprintf(head, sizeof head, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":", (int)id_length, id);
    if (memmem(text, length, "\"method\":\"blob\"", 15)) {
        size_t size = strtoul(params + 1, NULL, 10);
        put_header(s, head_length + size + 3);
        memcpy(room(s, head_length), head, head_length);
        uint8_t *value = room(s, size + 3);
        value[0] = '"';
        memset(value + 1, 'x', size);
        memcpy(value + 1 + size, "\"}", 2);
    } else {
        put_header(s, head_length + params_length + 1);
        memcpy(room(s, head_length), head, head_length);
        memcpy(room(s, params_length), params, params_length);
        *room(s, 1) = '}';
    }
}

static void take_piece(struct lws *wsi, struct session *s, const char *bytes, size_t length) {
    int is_whole = lws_is_final_fragment(wsi) && !lws_remaining_packet_payload(wsi);
    if (is_whole && !s->message_length) {
        respond(s, bytes, length);
    } else {
        if (s->message_length + length > s->message_capacity) {
            s->message_capacity = (s->message_length + length) * 2;
            s->message = grown(s->message, s->message_capacity);
        }
        memcpy(s->message + s->message_length, bytes, length);
        s->message_length += length;
        if (is_whole) {
            respond(s, s->message, s->message_length);
            s->message_length = 0;
        }
    }
    if (s->start < s->end) lws_callback_on_writable(wsi);
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    struct session *s = user;
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED: memset(s, 0, sizeof *s); break;
    case LWS_CALLBACK_RECEIVE: take_piece(wsi, s, in, length); break;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        if (s->start < s->end) {
            // A write may end inside a frame: nothing else is ever written on this connection.
            size_t size = s->end - s->start < LARGEST_WRITE ? s->end - s->start : LARGEST_WRITE;
            if (lws_write(wsi, s->outbox + LWS_PRE + s->start, size, LWS_WRITE_RAW) < 0) return -1;
            s->start += size;
            if (s->start < s->end) lws_callback_on_writable(wsi);
        }
        break;
    case LWS_CALLBACK_CLOSED:
        free(s->outbox);
        free(s->message);
        break;
    default: break;
    }
    return 0;
}

int main(int argc, char **argv) {
    const struct lws_protocols protocols[] = {{.name = "server",
                                               .callback = on_event,
                                               .per_session_data_size = sizeof(struct session),
                                               .rx_buffer_size = 16384,
                                               .tx_packet_size = LARGEST_WRITE},
                                              {0}};
    lws_set_log_level(LLL_ERR, NULL);
    // Both times 0 switch lws's own pings, and its hanging up, off.
    static const lws_retry_bo_t no_validity_check = {0};
    struct lws_context_creation_info info = {
        .port = 0, .iface = "127.0.0.1", .protocols = protocols, .retry_and_idle_policy = &no_validity_check};
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
    if (argc == 3) {
        info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.ssl_cert_filepath = argv[1];
        info.ssl_private_key_filepath = argv[2];
    }
    struct lws_context *context = lws_create_context(&info);
    struct lws_vhost *vhost = context ? lws_create_vhost(context, &info) : NULL;
    if (!vhost) return 1;
    printf("listening on port %d\n", lws_get_vhost_listen_port(vhost));
    fflush(stdout);
    while (lws_service(context, 0) >= 0) {}
    return 0;
}
