import NIOSSL

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Reads certificate and key, and tells whether the files are other ones than before.
struct TLSFiles: Sendable {
    /// What a file was when it was looked at. A file that is renamed into place has another inode.
    struct Mark: Equatable, Sendable {
        var device: UInt64
        var inode: UInt64
        var bytes: Int64
        var seconds: Int
        var nanoseconds: Int
    }

    let configuration: TLSConfiguration

    /// Certificate first; nil where there is no file.
    func marks() -> [Mark?] {
        [configuration.certificatePath, configuration.keyPath].map(Self.mark)
    }

    private static func mark(_ path: String) -> Mark? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Glibc)
        let time = status.st_mtim
        #else
        let time = status.st_mtimespec
        #endif
        return Mark(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
            bytes: Int64(status.st_size), seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }

    /// Everything that a connection needs of the two.
    func load() throws(TLSFault) -> LoadedTLS {
        let (certificatePath, keyPath) = (configuration.certificatePath, configuration.keyPath)
        for path in [certificatePath, keyPath] where access(path, R_OK) != 0 {
            throw .unreadable(path: path, errno: errno)
        }
        guard let chain = try? NIOSSLCertificate.fromPEMFile(certificatePath), let own = chain.first
        else { throw .noCertificate(path: certificatePath) }
        // A passphrase is not asked for; the default is to ask on the terminal.
        guard
            let key = try? NIOSSLPrivateKey(
                file: keyPath, format: .pem, passphraseCallback: { $0([UInt8]()) })
        else { throw .noKey(path: keyPath) }
        var configuration = NIOSSL.TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2", "http/1.1"]
        guard let context = try? NIOSSLContext(configuration: configuration) else {
            throw .mismatch(certificatePath: certificatePath, keyPath: keyPath)
        }
        return LoadedTLS(context: context, expiresAt: Int64(own.notValidAfter))
    }
}

/// A text for an `errno`.
func systemMessage(_ code: Int32) -> String {
    String(cString: strerror(code))
}
