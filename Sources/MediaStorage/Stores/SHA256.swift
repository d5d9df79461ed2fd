import COpenSSL

/// A SHA-256 that takes its bytes piece by piece, and the keyed form that signatures need.
///
/// - Source: FIPS 180-4; RFC 2104.
struct SHA256 {
    private var context = SHA256_CTX()

    init() { SHA256_Init(&context) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    /// Of what came so far; more may follow.
    func finish() -> [UInt8] {
        var context = context
        var digest = [UInt8](repeating: 0, count: MediaDigest.byteCount)
        SHA256_Final(&digest, &context)
        return digest
    }

    static func digest(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = SHA256()
        Array(bytes).withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }

    static func authenticate(_ text: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
        var block = key.count > 64 ? digest(key) : key
        block.append(contentsOf: repeatElement(0, count: 64 - block.count))
        let inner = digest(block.map { $0 ^ 0x36 } + Array(text))
        return digest(block.map { $0 ^ 0x5C } + inner)
    }
}
