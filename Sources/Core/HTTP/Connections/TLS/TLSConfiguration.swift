import NIOSSL
import Readings
import Synchronization

/// Certificate and private key of a server that speaks TLS. Its port then serves no plain HTTP.
public struct TLSConfiguration: Sendable, Equatable {
    /// PEM file: the server's certificate first, then the intermediate ones.
    public var certificatePath: String
    /// PEM file: the private key of the first certificate, without a passphrase.
    public var keyPath: String
    /// How often the files are checked for changes; changed files are reloaded.
    public var lookInterval: Duration = .seconds(5)
    /// Time from accepting a connection to the end of its handshake; then it is cut off.
    public var handshakeTimeout: Duration = .seconds(10)

    /// Open HTTP/2 streams per connection.
    public var streamsMax = 100
    /// Bytes of a stream's body that may be in transit; an upload sends at most this much per round
    /// trip.
    public var streamWindowBytes = 256 * 1024

    /// - Parameters:
    ///   - certificatePath: PEM file with the chain.
    ///   - keyPath: PEM file with the key.
    public init(certificatePath: String, keyPath: String) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }

    /// Invalid settings, each as field and rule; empty if all are valid.
    var faults: [(field: String, rule: String)] {
        var faults: [(String, String)] = []
        if certificatePath.isEmpty { faults.append(("certificatePath", "not empty")) }
        if keyPath.isEmpty { faults.append(("keyPath", "not empty")) }
        if lookInterval <= .zero { faults.append(("lookInterval", "greater than zero")) }
        if handshakeTimeout <= .zero { faults.append(("handshakeTimeout", "greater than zero")) }
        if !(1...10_000).contains(streamsMax) { faults.append(("streamsMax", "1 to 10000")) }
        if !(65_535...(16 << 20)).contains(streamWindowBytes) {
            faults.append(("streamWindowBytes", "65535 to 16 MiB"))
        }
        return faults
    }
}
