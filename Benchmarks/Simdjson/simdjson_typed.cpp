// swift-jsonrpc · SPDX-License-Identifier: MIT
//
// Reads the models of the benchmark as one would by hand: each member is asked for by its name, in the order of the
// document, so that simdjson compares few names and skips the rest. What is skipped is not validated, but for UTF-8.

#include "simdjson_typed.h"

#include <simdjson.h>

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace ondemand = simdjson::ondemand;

struct Owner {
    int64_t id;
    std::string name;
    double score;
};

struct Item {
    int64_t id;
    std::string title;
    std::vector<std::string> tags;
    double price;
    bool is_in_stock;
    std::optional<Owner> owner;
    std::vector<int64_t> sizes;
};

struct Page {
    std::vector<Item> items;
    int64_t total;
    std::optional<std::string> cursor;
};

struct User {
    int64_t id;
    std::string name;
    std::string screen_name;
    std::string location;
    std::string description;
    int64_t followers_count;
    int64_t friends_count;
    bool verified;
    std::string profile_image_url;
};

struct Hashtag {
    std::string text;
    std::vector<int64_t> indices;
};

struct Entities {
    std::vector<Hashtag> hashtags;
};

struct Status {
    int64_t id;
    std::string created_at;
    std::string text;
    std::string source;
    std::optional<int64_t> in_reply_to_status_id;
    User user;
    Entities entities;
    int64_t retweet_count;
    int64_t favorite_count;
    bool favorited;
    std::string lang;
};

struct Timeline {
    std::vector<Status> statuses;
};

// MARK: Reading

bool read(ondemand::value value, int64_t &target) { return !value.get_int64().get(target); }
bool read(ondemand::value value, double &target) { return !value.get_double().get(target); }
bool read(ondemand::value value, bool &target) { return !value.get_bool().get(target); }

bool read(ondemand::value value, std::string &target) {
    std::string_view characters;
    if (value.get_string().get(characters)) return false;
    target.assign(characters);
    return true;
}

bool read(ondemand::value value, Owner &owner);
bool read(ondemand::value value, Item &item);
bool read(ondemand::value value, User &user);
bool read(ondemand::value value, Hashtag &hashtag);
bool read(ondemand::value value, Entities &entities);
bool read(ondemand::value value, Status &status);

template <typename T>
bool read(ondemand::value value, std::vector<T> &target) {
    ondemand::array array;
    if (value.get_array().get(array)) return false;
    for (auto result : array) {
        ondemand::value element;
        if (result.get(element) || !read(element, target.emplace_back())) return false;
    }
    return true;
}

/// A member which comes after the one read before it.
template <typename T>
bool next(ondemand::object &object, std::string_view name, T &target) {
    ondemand::value value;
    return !object.find_field(name).get(value) && read(value, target);
}

/// A member which may come before the one read before it.
template <typename T>
bool any(ondemand::object &object, std::string_view name, T &target) {
    ondemand::value value;
    return !object.find_field_unordered(name).get(value) && read(value, target);
}

/// A member which may be null or missing. The ordered search would not come back from one that is missing.
template <typename T>
bool any(ondemand::object &object, std::string_view name, std::optional<T> &target) {
    ondemand::value value;
    simdjson::error_code error = object.find_field_unordered(name).get(value);
    if (error == simdjson::NO_SUCH_FIELD) return true;
    bool is_null;
    if (error || value.is_null().get(is_null)) return false;
    return is_null || read(value, target.emplace());
}

bool read(ondemand::value value, Owner &owner) {
    ondemand::object object;
    return !value.get_object().get(object) && next(object, "id", owner.id) && next(object, "name", owner.name) &&
           next(object, "score", owner.score);
}

bool read(ondemand::value value, Item &item) {
    ondemand::object object;
    return !value.get_object().get(object) && next(object, "id", item.id) && next(object, "title", item.title) &&
           next(object, "tags", item.tags) && next(object, "price", item.price) &&
           next(object, "isInStock", item.is_in_stock) && any(object, "owner", item.owner) &&
           next(object, "sizes", item.sizes);
}

bool read(ondemand::value value, Page &page) {
    ondemand::object object;
    return !value.get_object().get(object) && next(object, "items", page.items) && next(object, "total", page.total) &&
           any(object, "cursor", page.cursor);
}

bool read(ondemand::value value, User &user) {
    ondemand::object object;
    return !value.get_object().get(object) && next(object, "id", user.id) && next(object, "name", user.name) &&
           next(object, "screen_name", user.screen_name) && next(object, "location", user.location) &&
           next(object, "description", user.description) && next(object, "followers_count", user.followers_count) &&
           next(object, "friends_count", user.friends_count) && next(object, "verified", user.verified) &&
           next(object, "profile_image_url", user.profile_image_url);
}

bool read(ondemand::value value, Hashtag &hashtag) {
    ondemand::object object;
    return !value.get_object().get(object) && next(object, "text", hashtag.text) &&
           next(object, "indices", hashtag.indices);
}

bool read(ondemand::value value, Entities &entities) {
    ondemand::object object;
    return !value.get_object().get(object) && next(object, "hashtags", entities.hashtags);
}

/// In the order of twitter.json. The generated timeline has `id` and `entities` elsewhere.
bool read(ondemand::value value, Status &status) {
    ondemand::object object;
    return !value.get_object().get(object) && next(object, "created_at", status.created_at) &&
           any(object, "id", status.id) && next(object, "text", status.text) && next(object, "source", status.source) &&
           any(object, "in_reply_to_status_id", status.in_reply_to_status_id) && next(object, "user", status.user) &&
           next(object, "retweet_count", status.retweet_count) &&
           next(object, "favorite_count", status.favorite_count) && any(object, "entities", status.entities) &&
           next(object, "favorited", status.favorited) && next(object, "lang", status.lang);
}

bool read(ondemand::value value, Timeline &timeline) {
    ondemand::object object;
    return !value.get_object().get(object) && next(object, "statuses", timeline.statuses);
}

// MARK: Comparing with Swift

/// Takes the values in the order in which the models declare them.
struct Digest {
    uint64_t sum = 14695981039346656037u;

    void add(uint64_t word) { sum = (sum ^ word) * 1099511628211u; }
    void add(int64_t number) { add(static_cast<uint64_t>(number)); }
    void add(bool flag) { add(static_cast<uint64_t>(flag)); }
    void add(double number) {
        uint64_t bits;
        static_assert(sizeof bits == sizeof number);
        std::memcpy(&bits, &number, sizeof bits);
        add(bits);
    }
    void add(const std::string &characters) {
        add(static_cast<uint64_t>(characters.size()));
        for (unsigned char byte : characters) add(static_cast<uint64_t>(byte));
    }
    template <typename T>
    void add(const std::vector<T> &elements) {
        add(static_cast<uint64_t>(elements.size()));
        for (const T &element : elements) add(element);
    }
    template <typename T>
    void add(const std::optional<T> &value) {
        add(value.has_value());
        if (value) add(*value);
    }
    template <typename First, typename Second, typename... Rest>
    void add(const First &first, const Second &second, const Rest &...rest) {
        add(first);
        add(second);
        (add(rest), ...);
    }

    void add(const Owner &owner) { add(owner.id, owner.name, owner.score); }
    void add(const Item &item) {
        add(item.id, item.title, item.tags, item.price, item.is_in_stock, item.owner, item.sizes);
    }
    void add(const Page &page) { add(page.items, page.total, page.cursor); }
    void add(const User &user) {
        add(user.id, user.name, user.screen_name, user.location, user.description, user.followers_count,
            user.friends_count, user.verified, user.profile_image_url);
    }
    void add(const Hashtag &hashtag) { add(hashtag.text, hashtag.indices); }
    void add(const Entities &entities) { add(entities.hashtags); }
    void add(const Status &status) {
        add(status.id, status.created_at, status.text, status.source, status.in_reply_to_status_id, status.user,
            status.entities, status.retweet_count, status.favorite_count, status.favorited, status.lang);
    }
    void add(const Timeline &timeline) { add(timeline.statuses); }
};

}  // namespace

struct simdjson_typed {
    virtual ~simdjson_typed() = default;
    virtual bool decode() = 0;
    virtual uint64_t digest() const = 0;
};

namespace {

template <typename Root>
struct Typed final : simdjson_typed {
    simdjson::padded_string text;
    ondemand::parser parser;
    std::optional<Root> root;

    Typed(const uint8_t *bytes, size_t count) : text(reinterpret_cast<const char *>(bytes), count) {}

    bool decode() override {
        ondemand::document document;
        ondemand::value value;
        return !parser.iterate(text).get(document) && !document.get_value().get(value) && read(value, root.emplace());
    }

    uint64_t digest() const override {
        Digest digest;
        digest.add(root);
        return digest.sum;
    }
};

}  // namespace

extern "C" simdjson_typed *simdjson_typed_create(simdjson_typed_model model, const uint8_t *bytes, size_t count) {
    switch (model) {
    case simdjson_typed_owner: return new Typed<Owner>(bytes, count);
    case simdjson_typed_page: return new Typed<Page>(bytes, count);
    case simdjson_typed_owners: return new Typed<std::vector<Owner>>(bytes, count);
    case simdjson_typed_timeline: return new Typed<Timeline>(bytes, count);
    }
    return nullptr;
}

extern "C" bool simdjson_typed_decode(simdjson_typed *text) { return text->decode(); }

extern "C" uint64_t simdjson_typed_digest(const simdjson_typed *text) { return text->digest(); }

extern "C" void simdjson_typed_destroy(simdjson_typed *text) { delete text; }

extern "C" const char *simdjson_typed_kernel(void) {
    // builtin_implementation() would name what the library was compiled for.
    return SIMDJSON_STRINGIFY(SIMDJSON_BUILTIN_IMPLEMENTATION);
}
