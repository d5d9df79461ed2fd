// The values of a reading, and their validation by the same rules as in Sluice's scanner.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

enum class Kind { gps, vital, event };

struct Values {
    Kind kind;
    int64_t time;  // microseconds since 2000-01-01 UTC
    double first, second, third;  // lat, lon, acc; val
    bool has_third;
    int64_t code;
    std::string_view label, text, metadata;
    bool has_text, has_metadata;

    uint64_t checksum() const {
        auto bits = [](double value) {
            uint64_t bits;
            std::memcpy(&bits, &value, 8);
            return bits;
        };
        uint64_t sum = uint64_t(time);
        switch (kind) {
        case Kind::gps:
            sum += bits(first) * 3 + bits(second) * 5 + (has_third ? bits(third) * 7 : 11);
            break;
        case Kind::vital:
            sum += uint64_t(code) * 13 + bits(first) * 17;
            break;
        case Kind::event:
            sum += label.size() * 19 + (has_text ? text.size() * 23 : 29) + (has_metadata ? 31 : 37);
            break;
        }
        return sum;
    }
};

// Remembers the last day, because the readings of a batch are of one or two days.
struct DayCache {
    char text[10] = {};
    int64_t midnight = 0;
};

inline bool two_digits(const char *text, int &value) {
    unsigned tens = unsigned(text[0]) - '0', ones = unsigned(text[1]) - '0';
    value = int(tens * 10 + ones);
    return tens < 10 && ones < 10;
}

inline bool read_day(const char *text, DayCache &cache) {
    int century, years, month, day;
    if (!two_digits(text, century) || !two_digits(text + 2, years) || text[4] != '-' ||
        !two_digits(text + 5, month) || text[7] != '-' || !two_digits(text + 8, day))
        return false;
    int year = century * 100 + years;
    if (year < 1 || month < 1 || month > 12 || day < 1) return false;
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (day > lengths[month - 1] + (month == 2 && leap)) return false;
    int64_t y = year - (month <= 2);
    int64_t era = y / 400, of_era = y - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 730425;
    std::memcpy(cache.text, text, 10);
    cache.midnight = days * 86400000000LL;
    return true;
}

// Reads the time in a string. `text` points behind the opening quote; the string ends at the next
// quote.
inline bool read_time(const char *text, DayCache &cache, int64_t &time) {
    if (std::memcmp(text, cache.text, 10) != 0 && !read_day(text, cache)) return false;
    if (text[10] != 'T' && text[10] != 't' && text[10] != ' ') return false;
    int hour, minute, second;
    if (!two_digits(text + 11, hour) || text[13] != ':' || !two_digits(text + 14, minute) ||
        text[16] != ':' || !two_digits(text + 17, second))
        return false;
    if (hour > 23 || minute > 59 || second > 59) return false;
    int64_t value = cache.midnight + ((hour * 60 + minute) * 60 + second) * 1000000LL;
    const char *at = text + 19;
    if (*at == '.') {
        int64_t step = 100000;
        const char *digits = ++at;
        for (; unsigned(*at) - '0' < 10; at++, step /= 10) value += (*at - '0') * step;
        if (at == digits) return false;
    }
    if (*at == 'Z' || *at == 'z') {
        at++;
    } else if (*at == '+' || *at == '-') {
        int hours, minutes;
        if (!two_digits(at + 1, hours)) return false;
        const char *rest = at + 3 + (at[3] == ':');
        if (!two_digits(rest, minutes) || hours > 23 || minutes > 59) return false;
        int64_t offset = (hours * 60 + minutes) * 60000000LL;
        value += *at == '+' ? -offset : offset;
        at = rest + 2;
    }
    time = value;
    return *at == '"';
}
