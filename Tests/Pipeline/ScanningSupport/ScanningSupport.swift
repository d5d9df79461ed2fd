/// A second opinion on what a body means, and endless bodies to ask it about.
///
/// `ReferenceDecoder` decodes a whole body in the plainest way that the rules allow: the entire
/// JSON tree first, `strtod` for numbers, a field at a time after that. It shares nothing with the
/// scanner but the vocabulary of `Readings`, so a mistake must be made twice to stay unseen.
/// `BatchGenerator` and `BodyMutator` make bodies from a seed; `Verdict` is the common form in
/// which the scanner's and the reference's answers are compared, byte for byte.
///
/// Where the wire format leaves a choice, the choice is written down here:
/// - A byte that can't stand where it is (outside strings also every byte above 0x7F) is
///   `unexpectedByte`; `invalidUTF8` is said only inside strings. A multi-byte character that the
///   body's end cuts is `truncated` unless its bytes are wrong already.
/// - Faults count in the order of the bytes at which they are certain: a repeated `metadata` or
///   `data` at the closing quote of the second key, what is wrong with `metadata` (its size, too)
///   at its closing brace, `tooManyInvalid` at the brace that closes one reading too many. What is
///   missing is certain at the end of the body only.
/// - An unpaired surrogate counts as one character of a device id.
/// - Ids are the same when their UTF-8 bytes are, not when Unicode calls them equivalent.
/// - Within one device and kind, rows keep the order of `data`; but where `data` comes before
///   `metadata`, readings that name the envelope's device themselves come after those that don't.
/// - Only the envelope's own device takes `user_id`, `version` and `model_name`.
/// - `received` counts readings whose closing brace was seen, the one too many with them.
enum Choices {
    /// Bytes of the envelope's `metadata`, as sent.
    static let metadataBytesMax = 64 * 1024
    /// Objects and arrays inside each other beyond which a body is refused whole.
    static let depthMax = 1024
    /// Problems that an answer lists.
    static let problemsMax = 100
}
