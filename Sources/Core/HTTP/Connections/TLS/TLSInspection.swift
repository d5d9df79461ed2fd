import NIOSSL
import Synchronization

/// Checks a certificate and its key as the server does at its start.
public enum TLSInspection {
    /// - Returns: the expiry of the certificate, in seconds since 1970.
    /// - Throws: why the server could not use the two.
    public static func expiry(_ configuration: TLSConfiguration) throws(TLSFault) -> Int64 {
        try TLSFiles(configuration: configuration).load().expiresAt
    }
}
