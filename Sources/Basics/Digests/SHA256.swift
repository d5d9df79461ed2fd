private import COpenSSL

/// SHA-256 of bytes that arrive in pieces, and HMAC-SHA-256.
///
/// OpenSSL's one-shot function is not used: it looks the algorithm up by name, under locks, on
/// every call, which takes several times as long as hashing a short text.
///
/// - Source: FIPS 180-4; RFC 2104.
public struct SHA256 {
    /// Bytes of a digest.
    public static let byteCount = 32

    private var context = SHA256_CTX()

    /// Starts without any bytes.
    public init() { SHA256_Init(&context) }

    /// Hashes more bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    /// The digest of the bytes so far; more may follow.
    public func finish() -> [UInt8] {
        var context = context
        var digest = [UInt8](repeating: 0, count: Self.byteCount)
        SHA256_Final(&digest, &context)
        return digest
    }

    /// The same digest as four words in native byte order, without allocating an array.
    public func finishWords() -> (UInt64, UInt64, UInt64, UInt64) {
        var context = context
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { out in
            _ = SHA256_Final(out.bindMemory(to: UInt8.self).baseAddress, &context)
        }
        OPENSSL_cleanse(&context, MemoryLayout<SHA256_CTX>.size)
        return words
    }

    /// Erases the state, for secrets that must not stay in memory.
    public mutating func forget() { OPENSSL_cleanse(&context, MemoryLayout<SHA256_CTX>.size) }

    /// The digest of all bytes.
    public static func digest(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = SHA256()
        Array(bytes).withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }

    /// HMAC-SHA-256.
    public static func authenticate(_ text: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
        var block = key.count > 64 ? digest(key) : key
        block.append(contentsOf: repeatElement(0, count: 64 - block.count))
        let inner = digest(block.map { $0 ^ 0x36 } + Array(text))
        return digest(block.map { $0 ^ 0x5C } + inner)
    }

    /// Compares in a time that does not depend on the position of a difference.
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
