import JSONText

/// The body of `PATCH …/{id}`: the fields of a record that change, as a JSON object.
///
/// Fields have the names, forms and limits that they have in forms (``JournalForm``), but numbers
/// are JSON numbers, and a list may be an array of strings. Null or an empty text removes a field that a record
/// may lack. Other keys are ignored, also those of files, which stay.
public struct JournalChange: Sendable, Equatable {
    /// Bytes of a body; a larger one is answered with 413.
    public static let bytesMax = 256 * 1024
    /// Levels of nested objects and arrays.
    static let depthMax = 16

    /// Which fields change.
    let changed: Set<JournalField>
    /// Their new values.
    let fields: JournalFields

    /// Decodes and checks a body.
    ///
    /// - Parameters:
    ///   - body: on loan; at most ``bytesMax``.
    ///   - kind: one with records that can be changed, see ``JournalKind/changeableFields``.
    public init(_ body: UnsafeRawBufferPointer, of kind: JournalKind) throws(FieldFault) {
        var form = JournalForm(kind)
        var changed: Set<JournalField> = []
        for member in try Self.members(body) {
            guard let field = JournalField(rawValue: member.key),
                kind.changeableFields.contains(field)
            else { continue }
            guard changed.insert(field).inserted else { throw FieldFault(field, .repeated) }
            try Self.take(member.value, as: field, into: &form)
        }
        fields = form.fields
        self.changed = changed
        guard !changed.isEmpty else {
            throw FieldFault(
                named: "body", .nothingToChange(kind.changeableFields.map(\.rawValue).sorted()))
        }
        for field in changed where !fields.isFilledIfRequired(field) {
            throw FieldFault(field, .missing)
        }
    }

    private static func members(
        _ body: UnsafeRawBufferPointer
    ) throws(FieldFault) -> [JSONMember] {
        var reader = JSONReader(body.bindMemory(to: UInt8.self), depthMax: depthMax)
        let value: JSONValue
        do throws(JSONFault) {
            value = try reader.readTree()
        } catch {
            throw FieldFault(named: "body", .notJSON(offset: reader.index))
        }
        guard case .object(let members) = value else {
            throw FieldFault(named: "body", .notObject)
        }
        return members
    }

    private static func take(
        _ value: JSONValue, as field: JournalField, into form: inout JournalForm
    ) throws(FieldFault) {
        switch value {
        case .null: return
        case .noText: throw FieldFault(field, .notText)
        case .string(let text) where !field.isNumber:
            try form.take(field, Array(text.utf8))
        case .number(let number) where field.isNumber:
            try form.take(field, Array("\(number)".utf8))
        case .array(let elements) where field.isList:
            var items: [String] = []
            for element in elements {
                switch element {
                case .string(let item): items.append(item)
                case .noText: throw FieldFault(field, .notText)
                default: throw FieldFault(field, .notStrings)
                }
            }
            try form.take(field, items)
        default:
            throw FieldFault(
                field, field.isList ? .notStrings : field.isNumber ? .notNumber : .notString)
        }
    }
}

extension JournalFields {
    /// Whether the field has a value, or a record may be without it.
    fileprivate func isFilledIfRequired(_ field: JournalField) -> Bool {
        switch field {
        case .mood: mood != nil
        case .title: title != nil
        case .date: date != nil
        case .createdAt: createdAt != nil
        default: true
        }
    }
}
