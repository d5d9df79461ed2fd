import Testing

@testable import Media

struct JournalFormTests {
    private func fields(
        _ kind: JournalKind, _ texts: [(String, String)]
    ) throws(FieldFault) -> JournalFields {
        var form = JournalForm(kind)
        for (name, text) in texts {
            guard let field = form.field(named: name) else { continue }
            try form.take(field, Array(text.utf8))
        }
        return try form.validated()
    }

    private func fault(_ kind: JournalKind, _ texts: [(String, String)]) -> FieldFault? {
        do throws(FieldFault) {
            _ = try fields(kind, texts)
            return nil
        } catch {
            return error
        }
    }

    @Test func `all fields of a mood are read`() throws {
        let fields = try fields(
            .mood,
            [
                ("mood", "happy"), ("note", " Great day! "), ("reason", "Good weather"),
                ("tags", "sunny, productive,, ,"), ("interests", "photography"),
                ("moodIntensity", "8"), ("createdAt", "1640995200"), ("voiceNoteDuration", "45.6"),
                ("unknown", "x"),
            ])
        #expect(fields.mood == "happy" && fields.note == " Great day! ")
        #expect(fields.tags == ["sunny", "productive"] && fields.interests == ["photography"])
        #expect(fields.moodIntensity == 8 && fields.voiceNoteDuration == 45.6)
        #expect(fields.createdAt == 1_640_995_200_000)
    }

    @Test(arguments: [
        ("1", 1), ("10", 10), ("8.0", 8), ("1e1", 10),
    ])
    func `an intensity is an integer from 1 to 10`(text: String, value: Int) throws {
        #expect(try fields(.mood, [("mood", "m"), ("moodIntensity", text)]).moodIntensity == value)
    }

    @Test(arguments: [
        ("0", FieldFault.Reason.outOfRange), ("11", .outOfRange), ("7.5", .notInteger),
        ("x", .notNumber), ("-1", .outOfRange), ("nan", .notNumber), ("10.5", .outOfRange),
        ("1e999", .outOfRange),
    ])
    func `another intensity is refused`(text: String, reason: FieldFault.Reason) {
        #expect(
            fault(.mood, [("mood", "m"), ("moodIntensity", text)])
                == FieldFault(.moodIntensity, reason))
    }

    @Test(arguments: [
        ("0", 0), ("1640995200", 1_640_995_200_000), ("1640995200000", 1_640_995_200_000),
        ("1640995200.1239", 1_640_995_200_123), ("1640995200123.9", 1_640_995_200_123),
        ("99999999999", 99_999_999_999_000), ("100000000000", 100_000_000_000),
        ("253402300799999", 253_402_300_799_999), ("1.6409952e9", 1_640_995_200_000),
    ])
    func `a time is seconds or milliseconds`(text: String, value: Int64) throws {
        let fields = try fields(.keepsake, [("title", "t"), ("createdAt", text)])
        #expect(fields.createdAt == value)
    }

    @Test(arguments: [
        ("-1", FieldFault.Reason.outOfRange), ("253402300800000", .outOfRange),
        ("x", .notNumber), ("2026-01-24", .notNumber), ("1e999", .outOfRange),
    ])
    func `another time is refused`(text: String, reason: FieldFault.Reason) {
        #expect(
            fault(.keepsake, [("title", "t"), ("createdAt", text)])
                == FieldFault(.createdAt, reason))
    }

    @Test(arguments: [
        (JournalKind.mood, [("note", "x")], "mood"), (.mood, [("mood", "")], "mood"),
        (.mood, [("mood", " \t\n")], "mood"), (.keepsake, [("title", "  ")], "title"),
        (.keepsake, [], "title"), (.calendarEntry, [("date", "2026-01-24")], "title"),
        (.calendarEntry, [("title", "t")], "date"),
        (.calendarEntry, [("title", "t"), ("date", " ")], "date"),
    ])
    func `a required field must not be blank`(
        kind: JournalKind, texts: [(String, String)], field: String
    ) {
        #expect(fault(kind, texts) == FieldFault(named: field, .missing))
    }

    @Test(arguments: [
        JournalField.mood, .note, .reason, .tags, .interests, .title, .description, .location,
        .category, .groupID,
    ])
    func `lengths are limited to the byte`(field: JournalField) throws {
        let kind = try #require(JournalKind.allCases.first { $0.fields.contains(field) })
        // For a list: only separators, so that the limit of its items does not matter.
        let byte = UInt8(ascii: field.isList ? "," : "a")
        let bytes = [UInt8](repeating: byte, count: field.bytesMax)
        var form = JournalForm(kind)
        try form.take(field, bytes)
        var other = JournalForm(kind)
        #expect(throws: FieldFault(field, .tooLong(bytesMax: field.bytesMax))) {
            try other.take(field, bytes + [byte])
        }
    }

    @Test func `a field with one value may not repeat, lists add up`() throws {
        #expect(fault(.mood, [("mood", "a"), ("mood", "b")]) == FieldFault(.mood, .repeated))
        #expect(fault(.mood, [("note", ""), ("note", "b")]) == FieldFault(.note, .repeated))
        let fields = try fields(.mood, [("mood", "m"), ("tags", "a,b"), ("tags", "c")])
        #expect(fields.tags == ["a", "b", "c"])
    }

    @Test func `a list has 100 items of 256 bytes at most`() throws {
        let hundred = Array(repeating: "x", count: 100).joined(separator: ",")
        #expect(try fields(.keepsake, [("title", "t"), ("tags", hundred)]).tags.count == 100)
        #expect(
            fault(.keepsake, [("title", "t"), ("tags", hundred + ",x")])
                == FieldFault(.tags, .tooManyItems(max: 100)))
        let long = String(repeating: "x", count: 256)
        #expect(try fields(.keepsake, [("title", "t"), ("tags", long)]).tags == [long])
        #expect(
            fault(.keepsake, [("title", "t"), ("tags", long + "x")])
                == FieldFault(.tags, .itemTooLong(bytesMax: 256)))
    }

    @Test func `bytes that are not text are refused`() {
        for bytes in [[0x61, 0], [0xFF], [0xC3], [0xED, 0xA0, 0x80]] as [[UInt8]] {
            var form = JournalForm(.mood)
            #expect(throws: FieldFault(.mood, .notText)) { try form.take(.mood, bytes) }
        }
    }

    @Test func `an empty optional field is absent`() throws {
        let fields = try fields(
            .mood, [("mood", "m"), ("note", ""), ("moodIntensity", ""), ("createdAt", "")])
        #expect(fields.note == nil && fields.moodIntensity == nil && fields.createdAt == nil)
    }

    @Test func `a date keeps its form`() throws {
        let fields = try fields(
            .calendarEntry, [("title", "t"), ("date", "2026-01-24T10:30:00.5+02:00")])
        #expect(fields.date?.text == "2026-01-24T10:30:00.5+02:00")
        #expect(
            fault(.calendarEntry, [("title", "t"), ("date", "soon")])
                == FieldFault(.date, .notDate))
    }

    @Test func `fields of other kinds are unknown`() {
        let form = JournalForm(.keepsake)
        #expect(form.field(named: "mood") == nil)
        #expect(form.field(named: "Title") == nil)
        #expect(form.field(named: "title") == .title)
    }
}
