import Ingest
import NIOCore
import Scanner
import Times

/// A whole response of the edge, head and body, as sent on the wire.
struct Answer {
    let status: Int
    let bytes: ByteBuffer
}
