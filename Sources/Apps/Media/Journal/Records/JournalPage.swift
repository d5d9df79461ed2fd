import Postgres

/// The part of a list that a client asks for.
public struct JournalPage: Sendable, Equatable {
    /// The allowed values of ``limit``.
    public static let limitRange = 1...100
    /// The allowed values of ``offset``.
    public static let offsetRange = 0...1_000_000

    /// The most records of the answer. Default 50.
    public let limit: Int
    /// The number of records to skip. Default 0.
    public let offset: Int
    /// For uploads: only those of this category.
    public let category: String?
    /// For uploads: only those of this group.
    public let groupID: String?

    /// Takes the parameters of a request's query, as received.
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
