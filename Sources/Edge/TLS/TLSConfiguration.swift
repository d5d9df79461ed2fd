/// Certificate and private key of a server that speaks TLS. There is no plain HTTP on its port.
public struct TLSConfiguration: Sendable, Equatable {
    /// PEM file: the server's certificate first, then those between it and the root.
    public var certificatePath: String
    /// PEM file: the private key of the first certificate, without a passphrase.
    public var keyPath: String
    /// How often the files are looked at; when they have changed, they are read again.
    public var lookInterval: Duration = .seconds(5)
    /// From accepting a connection to the end of its handshake; then it is cut off.
    public var handshakeTimeout: Duration = .seconds(10)

    /// HTTP/2 streams that a connection may have open.
    public var streamsMax = 100
    /// Bytes of a stream's body that may be on their way: what an upload's speed is, in a round trip.
    public var streamWindowBytes = 256 * 1024

    /// - Parameters:
    ///   - certificatePath: PEM file with the chain.
    ///   - keyPath: PEM file with the key.
    public init(certificatePath: String, keyPath: String) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }

    /// What can't work, as field and rule; empty when all is well.
    var faults: [(field: String, rule: String)] {
        var faults: [(String, String)] = []
        if certificatePath.isEmpty { faults.append(("certificatePath", "not empty")) }
        if keyPath.isEmpty { faults.append(("keyPath", "not empty")) }
        if lookInterval <= .zero { faults.append(("lookInterval", "more than nothing")) }
        if handshakeTimeout <= .zero { faults.append(("handshakeTimeout", "more than nothing")) }
        if !(1...10_000).contains(streamsMax) { faults.append(("streamsMax", "1 to 10000")) }
        if !(65_535...(16 << 20)).contains(streamWindowBytes) {
            faults.append(("streamWindowBytes", "65535 to 16 MiB"))
        }
        return faults
    }
}
