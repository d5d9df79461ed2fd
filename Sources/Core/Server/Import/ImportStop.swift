/// An import ends early because it was asked to; its checkpoint is valid.
enum ImportStop: Error {
    case asked
}
