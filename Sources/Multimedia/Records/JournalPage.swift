/// Which part of a list is asked for.
public struct JournalPage: Sendable, Equatable {
    /// Records of an answer at most.
    public static let limitRange = 1...100
    /// Records passed over at most.
    public static let offsetRange = 0...1_000_000

    /// Records of the answer at most.
    public let limit: Int
    /// Records passed over.
    public let offset: Int
    /// Of uploads: only those with this category.
    public let category: String?
    /// Of uploads: only those of this group.
    public let groupID: String?

    /// From a request's query, as it came.
    ///
    /// - Throws: a fault that names the parameter.
    public init(
        limit: String? = nil, offset: String? = nil, category: String? = nil,
        groupID: String? = nil
    ) throws(FieldFault) {
        self.limit = try Self.number(limit, named: "limit", Self.limitRange, default: 50)
        self.offset = try Self.number(offset, named: "offset", Self.offsetRange, default: 0)
        self.category = try Self.text(category, .category)
        self.groupID = try Self.text(groupID, .groupID)
    }

    private static func number(
        _ text: String?, named name: String, _ range: ClosedRange<Int>, default value: Int
    ) throws(FieldFault) -> Int {
        guard let text else { return value }
        guard let digits = FormNumber.value(text) else { throw FieldFault(named: name, .notNumber) }
        guard let number = Int(exactly: digits) else { throw FieldFault(named: name, .notInteger) }
        guard range.contains(number) else { throw FieldFault(named: name, .outOfRange) }
        return number
    }

    private static func text(
        _ text: String?, _ field: JournalField
    ) throws(FieldFault) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard !text.utf8.contains(0) else { throw FieldFault(field, .notText) }
        guard text.utf8.count <= field.bytesMax else {
            throw FieldFault(field, .tooLong(bytesMax: field.bytesMax))
        }
        return text
    }
}
