private import COpenSSL

/// A SHA-256 that takes its bytes piece by piece, and the keyed form that signatures need.
///
/// OpenSSL's three plain calls, not its one-shot function: that one looks its algorithm up by name, under
/// locks, each time, which costs several times the hash of a short text.
///
/// - Source: FIPS 180-4; RFC 2104.
public struct SHA256 {
    /// Bytes of a digest.
    public static let byteCount = 32

    private var context = SHA256_CTX()

    /// Of nothing yet.
    public init() { SHA256_Init(&context) }

    /// More bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    /// Of what came so far; more may follow.
    public func finish() -> [UInt8] {
        var context = context
        var digest = [UInt8](repeating: 0, count: Self.byteCount)
        SHA256_Final(&digest, &context)
        return digest
    }

    /// The same as four words in the machine's order, without an array: for what is asked often.
    public func finishWords() -> (UInt64, UInt64, UInt64, UInt64) {
        var context = context
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { out in
            _ = SHA256_Final(out.bindMemory(to: UInt8.self).baseAddress, &context)
        }
        OPENSSL_cleanse(&context, MemoryLayout<SHA256_CTX>.size)
        return words
    }

    /// Overwrites what is left of the bytes, for what must not stay behind in memory.
    public mutating func forget() { OPENSSL_cleanse(&context, MemoryLayout<SHA256_CTX>.size) }

    /// Of all bytes.
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

    /// In a time that does not depend on where they differ.
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
