import CLZ4
import CZlib
import CZstd
import Foundation

/// Requests and bodies for many tests.
enum Samples {
    /// The seed's sample: three readings.
    static let body = """
        {"metadata":{"device_id":"11111111-1111-1111-1111-111111111111","version":"1.0",\
        "model_name":"iPhone 15 Pro"},"data":[{"t":"2026-02-10T14:57:07Z","type":"gps",\
        "lat":34.0522,"lon":-118.2437,"acc":5.0},{"t":"2026-02-10T14:57:02Z","type":"vital",\
        "code":1,"val":72},{"t":"2026-02-10T14:56:57Z","type":"event","label":"motion_state",\
        "val_text":"walking"}]}
        """

    /// One good reading, one with an invalid latitude, one of an unknown type.
    static let bodyWithFaults = """
        {"metadata":{"device_id":"d"},"data":[{"t":"2026-02-10T14:57:07Z","type":"gps",\
        "lat":34.0522,"lon":-118.2437},{"t":"2026-02-10T14:57:07Z","type":"gps","lat":91,\
        "lon":1},{"t":"2026-02-10T14:57:07Z","type":"steps"}]}
        """

    /// A body of `readings` vital readings.
    static func body(readings: Int) -> String {
        let reading = #"{"t":"2026-02-10T14:57:02Z","type":"vital","code":1,"val":72.5}"#
        let data = Array(repeating: reading, count: readings).joined(separator: ",")
        return #"{"metadata":{"device_id":"d"},"data":["# + data + "]}"
    }

    /// The head and body of a POST request.
    static func post(
        _ body: String = body, key: String? = FakeKeys.good, path: String = "/ingest",
        version: String = "1.1", fields: [String] = []
    ) -> String {
        head(length: body.utf8.count, key: key, path: path, version: version, fields: fields)
            + body
    }

    static func head(
        length: Int?, method: String = "POST", key: String? = FakeKeys.good,
        path: String = "/ingest", version: String = "1.1", fields: [String] = []
    ) -> String {
        var lines = ["\(method) \(path) HTTP/\(version)", "Host: localhost"]
        if let key { lines.append("X-API-Key: \(key)") }
        if let length { lines.append("Content-Length: \(length)") }
        lines += fields
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// A chunked POST request, cut every `size` bytes.
    static func chunkedPost(_ body: String, every size: Int, fields: [String] = []) -> String {
        var text = head(length: nil, fields: ["Transfer-Encoding: chunked"] + fields)
        var rest = Array(body.utf8)[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(size)
            rest = rest.dropFirst(size)
            text += "\(String(chunk.count, radix: 16))\r\n"
            text += String(decoding: chunk, as: UTF8.self) + "\r\n"
        }
        return text + "0\r\n\r\n"
    }

    enum Compression: CaseIterable {
        case gzip, zlib, rawDeflate, lz4, zstd

        var contentEncoding: String {
            switch self {
            case .gzip: "gzip"
            case .zlib, .rawDeflate: "deflate"
            case .lz4: "lz4"
            case .zstd: "zstd"
            }
        }
    }

    static func compress(_ bytes: [UInt8], _ compression: Compression) -> [UInt8] {
        switch compression {
        case .gzip: deflate(bytes, windowBits: 31)
        case .zlib: deflate(bytes, windowBits: 15)
        case .rawDeflate: deflate(bytes, windowBits: -15)
        case .lz4: lz4(bytes)
        case .zstd: zstd(bytes)
        }
    }

    private static func deflate(_ bytes: [UInt8], windowBits: Int32) -> [UInt8] {
        var stream = z_stream()
        precondition(
            deflateInit2_(
                &stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK)
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 100 + 1024)
        let count = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                precondition(CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END)
                return output.count - Int(stream.avail_out)
            }
        }
        return Array(output[..<count])
    }

    private static func lz4(_ bytes: [UInt8]) -> [UInt8] {
        var preferences = LZ4F_preferences_t()
        preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled
        var output = [UInt8](
            repeating: 0, count: LZ4F_compressFrameBound(bytes.count, &preferences))
        let count = output.withUnsafeMutableBytes { output in
            bytes.withUnsafeBytes { input in
                LZ4F_compressFrame(
                    output.baseAddress, output.count, input.baseAddress, input.count,
                    &preferences)
            }
        }
        precondition(LZ4F_isError(count) == 0)
        return Array(output[..<count])
    }

    /// A frame with a checksum.
    ///
    /// - Parameter windowLog: the logarithm of its window; 0: what the level has.
    static func zstd(_ bytes: [UInt8], windowLog: Int32 = 0) -> [UInt8] {
        guard let context = ZSTD_createCCtx() else { preconditionFailure() }
        defer { ZSTD_freeCCtx(context) }
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, windowLog)
        // In two steps, or the size of the content would be that of the window.
        var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count) + 64)
        let count = output.withUnsafeMutableBytes { output in
            bytes.withUnsafeBytes { input in
                var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
                var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
                for end in [ZSTD_e_continue, ZSTD_e_end] {
                    let left = ZSTD_compressStream2(context, &target, &source, end)
                    precondition(ZSTD_isError(left) == 0)
                }
                return target.pos
            }
        }
        return Array(output[..<count])
    }

    /// A compressed POST request.
    static func post(
        compressed bytes: [UInt8], _ encoding: String, fields: [String] = []
    ) -> [UInt8] {
        Array(head(length: bytes.count, fields: ["Content-Encoding: \(encoding)"] + fields).utf8)
            + bytes
    }
}
