import NIOCore
import Readings
import Scanning

/// What a client is told of its committed batch.
struct CommittedAnswer {
    let records: Int
    let stored: Int
    let duplicates: Int
    let quarantined: Int
    /// What the scanner set aside. The database may have added some, which have no place here.
    let problems: [Problem]

    func write(to body: inout ByteBuffer) {
        body.writeStaticString("{\"status\":\"accepted\",\"records\":")
        body.writeDecimal(records)
        body.writeStaticString(",\"stored\":")
        body.writeDecimal(stored)
        body.writeStaticString(",\"duplicates\":")
        body.writeDecimal(duplicates)
        body.writeStaticString(",\"quarantined\":")
        body.writeDecimal(quarantined)
        if quarantined > 0 { body.write(problems) }
        body.writeStaticString("}")
    }
}

extension ByteBuffer {
    /// The member `problems` of an answer, with the comma in front.
    mutating func write(_ problems: [Problem]) {
        writeStaticString(",\"problems\":[")
        for (position, problem) in problems.enumerated() {
            writeStaticString(position == 0 ? "{\"index\":" : ",{\"index\":")
            writeDecimal(problem.index)
            writeStaticString(",\"reason\":")
            writeJSON(problem.reason.rawValue)
            writeStaticString("}")
        }
        writeStaticString("]")
    }
}
