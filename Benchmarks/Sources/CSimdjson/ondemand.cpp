#include <CSimdjson.h>
#include <simdjson.h>

#include <cmath>

#include "readings.hpp"
#include "tuples.hpp"

using namespace simdjson;

struct OndemandParser {
    ondemand::parser parser;
    DayCache days;
};

#define TRY(expression) \
    do { \
        if (auto error = (expression)) return error; \
    } while (0)

namespace {

// Also accepts a number in a string, as the contract does.
inline error_code number(ondemand::value value, double &out) {
    auto error = value.get_double().get(out);
    if (error == INCORRECT_TYPE) error = value.get_double_in_string().get(out);
    if (error) return error;
    return std::isfinite(out) ? SUCCESS : NUMBER_ERROR;
}

inline error_code within(ondemand::value value, double limit, double &out) {
    TRY(number(value, out));
    return std::fabs(out) <= limit ? SUCCESS : NUMBER_ERROR;
}

inline error_code code(ondemand::value value, int64_t &out) {
    auto error = value.get_int64().get(out);
    if (error) {
        double number_value;
        TRY(number(value, number_value));
        out = int64_t(number_value);
        if (double(out) != number_value) return NUMBER_ERROR;
    }
    return out >= INT16_MIN && out <= INT16_MAX ? SUCCESS : NUMBER_ERROR;
}

inline error_code time(ondemand::value value, DayCache &days, int64_t &out) {
    std::string_view token = value.raw_json_token();
    if (token.empty() || token[0] != '"') return INCORRECT_TYPE;
    return read_time(token.data() + 1, days, out) ? SUCCESS : STRING_ERROR;
}

inline error_code kind(ondemand::value value, Kind &out) {
    std::string_view token = value.raw_json_token();
    auto is = [&](std::string_view name) {
        return token.size() >= name.size() && std::memcmp(token.data(), name.data(), name.size()) == 0;
    };
    if (is("\"gps\"")) out = Kind::gps;
    else if (is("\"vital\"")) out = Kind::vital;
    else if (is("\"event\"")) out = Kind::event;
    else return STRING_ERROR;
    return SUCCESS;
}

inline error_code text(ondemand::value value, size_t bytes_max, std::string_view &out) {
    TRY(value.get_string().get(out));
    if (std::memchr(out.data(), 0, out.size()) || out.size() > bytes_max) return STRING_ERROR;
    return SUCCESS;
}

inline error_code accuracy(ondemand::value value, Values &out) {
    if (value.is_null()) return SUCCESS;
    TRY(number(value, out.third));
    out.has_third = !(out.third < 0);
    return SUCCESS;
}

inline error_code optional_text(ondemand::value value, Values &out) {
    if (value.is_null()) return SUCCESS;
    out.has_text = true;
    return text(value, 8192, out.text);
}

inline error_code metadata(ondemand::value value, Values &out) {
    if (value.is_null()) return SUCCESS;
    ondemand::object object;
    TRY(value.get_object().get(object));
    out.has_metadata = true;
    return object.raw_json().get(out.metadata);
}

// For optional fields: NO_SUCH_FIELD is not an error.
template <typename Found, typename Use>
inline error_code maybe(Found found, Use use) {
    ondemand::value value;
    auto error = found.get(value);
    if (error == NO_SUCH_FIELD) return SUCCESS;
    return error ? error : use(value);
}

template <OndemandAccess access>
inline simdjson_result<ondemand::value> field(ondemand::object &object, std::string_view key) {
    if constexpr (access == OndemandOrdered) return object.find_field(key);
    else return object.find_field_unordered(key);
}

template <OndemandAccess access>
inline error_code look_up(ondemand::object &object, DayCache &days, Values &out) {
    ondemand::value value;
    TRY(field<access>(object, "t").get(value));
    TRY(time(value, days, out.time));
    TRY(field<access>(object, "type").get(value));
    TRY(kind(value, out.kind));
    switch (out.kind) {
    case Kind::gps:
        TRY(field<access>(object, "lat").get(value));
        TRY(within(value, 90, out.first));
        TRY(field<access>(object, "lon").get(value));
        TRY(within(value, 180, out.second));
        return maybe(field<access>(object, "acc"), [&](auto v) { return accuracy(v, out); });
    case Kind::vital:
        TRY(field<access>(object, "code").get(value));
        TRY(code(value, out.code));
        TRY(field<access>(object, "val").get(value));
        return number(value, out.first);
    case Kind::event:
        TRY(field<access>(object, "label").get(value));
        TRY(text(value, 256, out.label));
        if (out.label.empty()) return STRING_ERROR;
        TRY(maybe(field<access>(object, "val_text"), [&](auto v) { return optional_text(v, out); }));
        return maybe(field<access>(object, "metadata"), [&](auto v) { return metadata(v, out); });
    }
    return STRING_ERROR;
}

// The fields that were found.
enum : unsigned { T = 1, TYPE = 2, LAT = 4, LON = 8, CODE = 16, VAL = 32, LABEL = 64 };

inline error_code iterate(ondemand::object &object, DayCache &days, Values &out) {
    unsigned seen = 0;
    double value_number = 0;
    for (auto found : object) {
        ondemand::field field;
        TRY(std::move(found).get(field));
        const char *name = field.key().raw();  // ends at the closing quote
        auto is = [&](const char *wanted, size_t length) {
            return std::memcmp(name, wanted, length) == 0;
        };
        auto value = field.value();
        switch (name[0]) {
        case 't':
            if (is("t\"", 2)) { TRY(time(value, days, out.time)); seen |= T; }
            else if (is("type\"", 5)) { TRY(kind(value, out.kind)); seen |= TYPE; }
            break;
        case 'l':
            if (is("lat\"", 4)) { TRY(within(value, 90, out.first)); seen |= LAT; }
            else if (is("lon\"", 4)) { TRY(within(value, 180, out.second)); seen |= LON; }
            else if (is("label\"", 6)) { TRY(text(value, 256, out.label)); seen |= LABEL; }
            break;
        case 'a':
            if (is("acc\"", 4)) TRY(accuracy(value, out));
            break;
        case 'c':
            if (is("code\"", 5)) { TRY(code(value, out.code)); seen |= CODE; }
            break;
        case 'v':
            if (is("val\"", 4)) { TRY(number(value, value_number)); seen |= VAL; }
            else if (is("val_text\"", 9)) TRY(optional_text(value, out));
            break;
        case 'm':
            if (is("metadata\"", 9)) TRY(metadata(value, out));
            break;
        }
    }
    if ((seen & (T | TYPE)) != (T | TYPE)) return NO_SUCH_FIELD;
    switch (out.kind) {
    case Kind::gps: return (seen & (LAT | LON)) == (LAT | LON) ? SUCCESS : NO_SUCH_FIELD;
    case Kind::vital:
        out.first = value_number;
        return (seen & (CODE | VAL)) == (CODE | VAL) ? SUCCESS : NO_SUCH_FIELD;
    case Kind::event: return seen & LABEL && !out.label.empty() ? SUCCESS : NO_SUCH_FIELD;
    }
    return NO_SUCH_FIELD;
}

inline void encode(const Values &values, int64_t key, OndemandBuffer rows[3]) {
    TupleWriter row(rows[int(values.kind)]);
    switch (values.kind) {
    case Kind::gps:
        row.head(8, key, values.time);
        row.number(values.first);
        row.number(values.second);
        if (values.has_third) row.number(values.third);
        else row.null();
        for (int left = 3; left > 0; left--) row.null();  // alt, vacc, motion
        break;
    case Kind::vital:
        row.head(4, key, values.time);
        row.code(values.code);
        row.number(values.first);
        break;
    case Kind::event:
        row.head(5, key, values.time);
        row.text(values.label);
        if (values.has_text) row.text(values.text);
        else row.null();
        if (values.has_metadata) row.object(values.metadata);
        else row.null();
        break;
    }
}

template <OndemandAccess access, bool encodes>
error_code read(OndemandParser *parser, const uint8_t *body, size_t bytes, int64_t key,
                OndemandBuffer *rows, OndemandResult *result) {
    ondemand::document document;
    padded_string_view view(body, bytes, bytes + SIMDJSON_PADDING);
    TRY(parser->parser.iterate(view).get(document));
    ondemand::object batch, envelope;
    TRY(document.get_object().get(batch));
    TRY(batch["metadata"].get_object().get(envelope));
    std::string_view id;
    TRY(envelope["device_id"].get_string().get(id));
    if (id.empty() || id.size() > 128) return STRING_ERROR;
    std::string_view ignored;
    for (const char *name : {"version", "model_name", "user_id"}) {
        auto error = envelope[name].get_string().get(ignored);
        if (error && error != NO_SUCH_FIELD) return error;
    }
    ondemand::array data;
    TRY(batch["data"].get_array().get(data));
    int64_t readings = 0;
    uint64_t checksum = 0;
    for (auto element : data) {
        ondemand::object object;
        TRY(element.get_object().get(object));
        Values values;
        values.has_third = values.has_text = values.has_metadata = false;
        if constexpr (access == OndemandIterate) TRY(iterate(object, parser->days, values));
        else TRY(look_up<access>(object, parser->days, values));
        if constexpr (encodes) encode(values, key, rows);
        checksum += values.checksum();
        readings++;
    }
    result->readings += readings;
    result->checksum += checksum;
    return SUCCESS;
}

template <bool encodes>
int read_with(OndemandParser *parser, const uint8_t *body, size_t bytes, OndemandAccess access,
              int64_t key, OndemandBuffer *rows, OndemandResult *result) {
    switch (access) {
    case OndemandOrdered:
        return read<OndemandOrdered, encodes>(parser, body, bytes, key, rows, result);
    case OndemandUnordered:
        return read<OndemandUnordered, encodes>(parser, body, bytes, key, rows, result);
    case OndemandIterate:
        return read<OndemandIterate, encodes>(parser, body, bytes, key, rows, result);
    }
    return UNEXPECTED_ERROR;
}

}  // namespace

extern "C" {

OndemandParser *ondemand_create(size_t body_bytes_max) {
    auto *parser = new OndemandParser;
    if (parser->parser.allocate(body_bytes_max)) {
        delete parser;
        return nullptr;
    }
    return parser;
}

void ondemand_destroy(OndemandParser *parser) { delete parser; }

size_t ondemand_padding(void) { return SIMDJSON_PADDING; }

const char *ondemand_kernel(void) {
    static std::string name = get_active_implementation()->name();
    return name.c_str();
}

const char *ondemand_compiled_kernel(void) {
#define NAME_OF(macro) QUOTED(macro)
#define QUOTED(text) #text
    return NAME_OF(SIMDJSON_BUILTIN_IMPLEMENTATION);
}

int ondemand_extract(OndemandParser *parser, const uint8_t *body, size_t bytes,
                     OndemandAccess access, OndemandResult *result) {
    return read_with<false>(parser, body, bytes, access, 0, nullptr, result);
}

int ondemand_encode(OndemandParser *parser, const uint8_t *body, size_t bytes,
                    OndemandAccess access, int64_t device_key, OndemandBuffer rows[3],
                    OndemandResult *result) {
    return read_with<true>(parser, body, bytes, access, device_key, rows, result);
}
}
