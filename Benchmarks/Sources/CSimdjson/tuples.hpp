// COPY BINARY tuples (PostgreSQL manual, "COPY", section "Binary Format").
#pragma once

#include <algorithm>
#include <vector>

#include "readings.hpp"
#include <CSimdjson.h>
#include <simdjson.h>

class TupleWriter {
public:
    TupleWriter(OndemandBuffer &buffer) : at(buffer.bytes + buffer.count), buffer(buffer) {}
    ~TupleWriter() { buffer.count = size_t(at - buffer.bytes); }

    void head(uint16_t fields, int64_t key, int64_t time) {
        put(__builtin_bswap16(fields));
        put(__builtin_bswap32(8));
        put(__builtin_bswap64(uint64_t(key)));
        put(__builtin_bswap32(8));
        put(__builtin_bswap64(uint64_t(time)));
    }
    void number(double value) {
        uint64_t bits;
        std::memcpy(&bits, &value, 8);
        put(__builtin_bswap32(8));
        put(__builtin_bswap64(bits));
    }
    void null() { put(uint32_t(0xFFFFFFFF)); }
    void code(int64_t value) {
        put(__builtin_bswap32(2));
        put(__builtin_bswap16(uint16_t(value)));
    }
    void text(std::string_view text) {
        put(__builtin_bswap32(uint32_t(text.size())));
        bytes(text);
    }
    // Writes `text` as PostgreSQL prints its jsonb. Correct only for flat objects with plain
    // numbers.
    void object(std::string_view text) {
        uint8_t *length = at;
        at += 4;
        *at++ = 1;
        struct Member { std::string_view key, value; };
        static thread_local std::vector<Member> members;
        members.clear();
        static thread_local simdjson::ondemand::parser parser;
        simdjson::padded_string padded(text);
        simdjson::ondemand::document document;
        simdjson::ondemand::object object;
        if (parser.iterate(padded).get(document) || document.get_object().get(object)) return;
        for (auto field : object) {
            std::string_view key, value;
            if (field.unescaped_key().get(key)) return;
            simdjson::ondemand::value member;
            if (field.value().get(member)) return;
            value = member.raw_json_token();
            while (!value.empty() && value.back() <= ' ') value.remove_suffix(1);
            members.push_back({key, value});
        }
        std::sort(members.begin(), members.end(), [](const Member &a, const Member &b) {
            return a.key.size() != b.key.size() ? a.key.size() < b.key.size() : a.key < b.key;
        });
        *at++ = '{';
        for (size_t index = 0; index < members.size(); index++) {
            if (index > 0) bytes(", ");
            *at++ = '"';
            bytes(members[index].key);
            bytes("\": ");
            bytes(members[index].value);
        }
        *at++ = '}';
        uint32_t size = __builtin_bswap32(uint32_t(at - length - 4));
        std::memcpy(length, &size, 4);
    }

private:
    uint8_t *at;
    OndemandBuffer &buffer;

    template <typename Word> void put(Word word) {
        std::memcpy(at, &word, sizeof word);
        at += sizeof word;
    }
    void bytes(std::string_view text) {
        std::memcpy(at, text.data(), text.size());
        at += text.size();
    }
};
