import COpenSSL

/// A SHA-256 that takes its bytes piece by piece.
struct RunningDigest {
    private var context = SHA256_CTX()

    init() { SHA256_Init(&context) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    /// Of what came so far.
    func finish() -> [UInt8] {
        var context = context
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256_Final(&digest, &context)
        return digest
    }
}
