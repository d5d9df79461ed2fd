import Readings

/// Bodies that are refused as a whole.
extension BatchGenerator {
    mutating func faultyBody(readings: Int) -> String {
        let elements = (0..<readings).map { _ in validReading() }
        let data = writer.array(elements, level: 1)
        let metadata = metadata()
        switch random.below(7) {
        case 0: return random.pick(Self.notBatches)
        case 1:
            let keys = random.pick([
                ["metadata"], ["data"], [], ["metadata", "data", "metadata"],
                ["metadata", "data", "data"], ["data", "metadata", "m\\u0065tadata"],
            ])
            return writer.object(keys.map { ($0, $0 == "data" ? data : metadata) })
        case 2: return writer.object([("metadata", faultyMetadata()), ("data", data)])
        case 3:
            let noArray = random.pick(["null", "{}", "\"[]\"", "0", "true", "-1"])
            return writer.object([("metadata", metadata), ("data", noArray)])
        case 4:
            var mixed = elements
            let noObject = random.pick(["null", "[]", "\"{}\"", "-1", "true", "false", "[{}]"])
            mixed.insert(noObject, at: random.below(elements.count + 1))
            return body(metadata: metadata, elements: mixed)
        case 5:
            let whole = body(metadata: metadata, elements: elements)
            return String(whole.unicodeScalars.prefix(random.below(whole.unicodeScalars.count)))
        default:
            let whole = body(metadata: metadata, elements: elements)
            return random.pick([whole + "x", "\u{FEFF}" + whole, whole + "}", whole + whole])
        }
    }

    private mutating func faultyMetadata() -> String {
        let long = String(repeating: "i", count: limits.deviceIDCharactersMax + 1)
        let longer = String(repeating: "v", count: limits.attributeCharactersMax + 1)
        let id = ("device_id", deviceIDs[0])
        let wrongs: [[BodyWriter.Field]] = [
            [], [("device_id", "null")], [("device_id", "1")], [("device_id", "\"\"")],
            [("device_id", "\"\(long)\"")], [("device_id", "\"\\u0000\"")],
            [("device_id", "\"\\ud800\"")], [id, id], [id, ("device_i\\u0064", "null")],
            [id, ("user_id", "[]")], [id, ("user_id", "\"\"")], [id, ("user_id", "\"\(long)\"")],
            [id, ("user_id", "\"\\udc00\"")], [id, ("version", "1.0")],
            [id, ("version", "\"\(longer)\"")], [id, ("version", "\"\\u0000\"")],
            [id, ("model_name", "{}")], [id, ("model_name", "\"\(longer)\"")],
            [id, ("model_name", "null"), ("version", "null"), ("version", "null")],
            [("version", "1"), ("model_name", "2"), ("user_id", "3")],
            [("device_id", "4"), ("version", "1"), ("model_name", "2"), ("user_id", "3")],
        ]
        if random.once(in: 6) { return random.pick(["null", "[]", "\"a\"", "1", "false"]) }
        return writer.object(random.pick(wrongs), level: 1)
    }

    private static let notBatches = [
        "", " ", "\n", "null", "[]", "\"{}\"", "1", "-", "true", "f", "{", "}", "{}", "{},",
        "{\"a\"",
        "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}", "{\"a\" 1}",
        "{\"a\":01}", "{\"a\":+1}", "{\"a\":.5}", "{\"a\":1.}", "{\"a\":1e}", "{\"a\":nul}",
        "{\"a\":NaN}", "{\"a\":[-Infinity]}", "{\"a\":\"\t\"}", "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}", "{\"a\":[1,]}",
        "{\"a\":[1 2]}", "{\"a\":\"\u{1}\"}", "nullnull", "{}{}", "{} []", "{\"data\":[", "/**/{}",
        "{\"data\":[{}", "{\"data\":[{},", "{\"data\":[{},]}", "{\"data\":[,]}",
        "{\"metadata\":{}}",
    ]
}
