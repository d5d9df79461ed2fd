/// A PostgreSQL type by its number in `pg_type`; the built-in ones never change.
public struct OID: RawRepresentable, Hashable, Sendable {
    /// The number, as `'int8'::regtype::oid` gives it.
    public let rawValue: UInt32

    /// For types that have no name here.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// One byte, 0 or 1.
    public static let bool = OID(rawValue: 16)
    /// Bytes.
    public static let bytea = OID(rawValue: 17)
    /// `bigint`, eight bytes.
    public static let int8 = OID(rawValue: 20)
    /// `smallint`, two bytes.
    public static let int2 = OID(rawValue: 21)
    /// `integer`, four bytes.
    public static let int4 = OID(rawValue: 23)
    /// UTF-8 without NUL.
    public static let text = OID(rawValue: 25)
    /// `double precision`.
    public static let float8 = OID(rawValue: 701)
    /// Microseconds since 2000-01-01 UTC in eight bytes.
    public static let timestamptz = OID(rawValue: 1184)
    /// Days since 2000-01-01 in four bytes.
    public static let date = OID(rawValue: 1082)
    /// A version byte 1, then JSON text.
    public static let jsonb = OID(rawValue: 3802)

    /// `boolean[]`
    public static let boolArray = OID(rawValue: 1000)
    /// `bytea[]`
    public static let byteaArray = OID(rawValue: 1001)
    /// `smallint[]`
    public static let int2Array = OID(rawValue: 1005)
    /// `integer[]`
    public static let int4Array = OID(rawValue: 1007)
    /// `bigint[]`
    public static let int8Array = OID(rawValue: 1016)
    /// `text[]`
    public static let textArray = OID(rawValue: 1009)
    /// `double precision[]`
    public static let float8Array = OID(rawValue: 1022)
    /// `timestamptz[]`
    public static let timestamptzArray = OID(rawValue: 1185)
    /// `jsonb[]`
    public static let jsonbArray = OID(rawValue: 3807)
}
