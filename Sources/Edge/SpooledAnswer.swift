import NIOCore
import Scanning

/// What a client is told of a batch that is on disk and not in the database yet.
struct SpooledAnswer {
    let records: Int
    /// What the scanner set aside; of duplicates nothing is known yet.
    let quarantined: Int
    let problems: [Problem]

    func write(to body: inout ByteBuffer) {
        body.writeStaticString("{\"status\":\"spooled\",\"records\":")
        body.writeDecimal(records)
        if quarantined > 0 {
            body.writeStaticString(",\"quarantined\":")
            body.writeDecimal(quarantined)
            body.write(problems)
        }
        body.writeStaticString("}")
    }
}
