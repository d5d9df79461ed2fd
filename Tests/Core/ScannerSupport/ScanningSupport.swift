/// A second, independent decoder of bodies, and an endless supply of bodies to compare it on.
///
/// `ReferenceDecoder` decodes a whole body in the plainest way that the rules allow: first the
/// entire JSON tree, then one field after the other, with `strtod` for numbers. It shares only the
/// vocabulary of `Readings` with the scanner, so a mistake stays hidden only if both make it.
/// `BatchGenerator` and `BodyMutator` make bodies from a seed. `Verdict` is the common form in
/// which the answers of scanner and reference are compared, byte for byte.
///
/// Where the wire format leaves a choice, these are the choices:
/// - A byte that can't stand where it is (outside strings also every byte above 0x7F) is
///   `unexpectedByte`; `invalidUTF8` is reported only inside strings. A multi-byte character that
///   the body's end cuts is `truncated`, unless its bytes are wrong already.
/// - The fault that becomes certain at the earliest byte counts. A repeated `metadata` or `data` is
///   certain at the closing quote of the second key; a fault of `metadata` (also of its size) at
///   its closing brace; `tooManyInvalid` at the brace that closes the reading beyond the limit. A
///   missing part is certain only at the end of the body.
/// - An unpaired surrogate counts as one character of a device id.
/// - Ids are the same when their UTF-8 bytes are, not when Unicode calls them equivalent.
/// - Within one device and kind, rows keep the order of `data`. But where `data` comes before
///   `metadata`, readings that name the envelope's device themselves come after those that don't.
/// - Only the envelope's own device takes `user_id`, `version` and `model_name`.
/// - `received` counts the readings whose closing brace was seen, including the one beyond the
///   limit.
enum Choices {
    /// Bytes of the envelope's `metadata`, as sent.
    static let metadataBytesMax = 64 * 1024
    /// The depth of nested objects and arrays beyond which a body is refused as a whole.
    static let depthMax = 1024
    /// The most problems that an answer lists.
    static let problemsMax = 100
    /// The most names of ignored fields that an answer lists, and the most that one reading adds.
    static let ignoredNamesMax = 8
    /// The most names of metrics in a batch.
    static let metricNamesMax = 1000
}
