import CAVFormat
import Glibc

/// The facts of a film or a recording, read by libavformat.
///
/// Files are untrusted, so this runs in a separate process (``Inspection``). The demuxer is chosen
/// here, not by the file. It reads through ``MediaInput`` and can open nothing else. No decoder
/// runs. An allocation is at most 64 MiB.
struct MediaFacts: Codable, Sendable, Equatable {
    var facts = FileFacts()
    /// Whether it has a video stream other than a cover picture.
    var hasPicture = false
    var hasSound = false

    private static let sides = 1...(1 << 20)
    private static let allocationBytesMax = 64 << 20
    /// Bytes to probe when the header lacks the duration.
    private static let probeBytesMax = 1 << 20

    /// Configures the library for the process; once.
    private static let isReady: Bool = {
        av_log_set_level(AV_LOG_QUIET)
        av_max_alloc(allocationBytesMax)
        return true
    }()

    /// Whether all values are within the bounds that ``read(_:type:)`` keeps. Checks the answer of
    /// another process.
    var isSound: Bool {
        let duration = facts.duration ?? 1
        return [facts.width, facts.height].allSatisfy { $0.map(Self.sides.contains) ?? true }
            && duration.isFinite && duration > 0
    }

    /// - Returns: nil when the library can't read the file.
    static func read(_ file: UnsafeRawBufferPointer, type: MediaType) -> MediaFacts? {
        let demuxer =
            switch type {
            case .mp4, .mov, .m4a: "mov"
            case .mp3: "mp3"
            case .wav: "wav"
            default: ""
            }
        guard isReady, let format = av_find_input_format(demuxer),
            let input = MediaInput(file)
        else { return nil }
        return withExtendedLifetime(input) { read(input, format) }
    }

    private static func read(
        _ input: MediaInput, _ format: UnsafePointer<AVInputFormat>
    ) -> MediaFacts? {
        guard let context = avformat_alloc_context() else { return nil }
        context.pointee.pb = input.context
        context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        context.pointee.probesize = Int64(probeBytesMax)
        var options: OpaquePointer?
        // No decoder and no protocol has this name, so none is allowed.
        av_dict_set(&options, "codec_whitelist", "none", 0)
        av_dict_set(&options, "protocol_whitelist", "none", 0)
        defer { av_dict_free(&options) }
        // On failure the function frees the context.
        var opened: UnsafeMutablePointer<AVFormatContext>? = context
        guard avformat_open_input(&opened, nil, format, &options) == 0, let opened else {
            return nil
        }
        var closing: UnsafeMutablePointer<AVFormatContext>? = opened
        defer { avformat_close_input(&closing) }
        var media = MediaFacts()
        media.take(opened)
        if media.facts.duration == nil {
            avformat_find_stream_info(opened, nil)
            media.take(opened)
        }
        return media
    }

    private mutating func take(_ context: UnsafeMutablePointer<AVFormatContext>) {
        var streamSeconds: Double?
        for index in 0..<min(Int(context.pointee.nb_streams), 64) {
            guard let stream = context.pointee.streams[index],
                let parameters = stream.pointee.codecpar
            else { continue }
            switch parameters.pointee.codec_type {
            case AVMEDIA_TYPE_VIDEO where stream.pointee.disposition & Self.attachedPicture == 0:
                if !hasPicture { takeSize(stream, parameters) }
                hasPicture = true
            case AVMEDIA_TYPE_AUDIO:
                hasSound = true
            default: continue
            }
            let base = stream.pointee.time_base
            if stream.pointee.duration > 0, base.den != 0 {
                let seconds =
                    Double(stream.pointee.duration) * Double(base.num) / Double(base.den)
                streamSeconds = max(streamSeconds ?? 0, seconds)
            }
        }
        let whole = context.pointee.duration
        let seconds = whole > 0 ? Double(whole) / Double(AV_TIME_BASE) : streamSeconds
        if let seconds, seconds.isFinite, seconds > 0 {
            // Milliseconds: finer digits are noise of the time base.
            facts.duration = (seconds * 1000).rounded() / 1000
        }
    }

    private static let attachedPicture = Int32(AV_DISPOSITION_ATTACHED_PIC)

    private mutating func takeSize(
        _ stream: UnsafeMutablePointer<AVStream>,
        _ parameters: UnsafeMutablePointer<AVCodecParameters>
    ) {
        let (width, height) = (Int(parameters.pointee.width), Int(parameters.pointee.height))
        guard Self.sides.contains(width), Self.sides.contains(height) else { return }
        var isTurned = false
        if let matrix = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, nil) {
            let angle = matrix.withMemoryRebound(to: Int32.self, capacity: 9) {
                av_display_rotation_get($0)
            }
            isTurned =
                angle.isFinite && abs(abs(angle).truncatingRemainder(dividingBy: 180) - 90) < 45
        }
        (facts.width, facts.height) = isTurned ? (height, width) : (width, height)
    }
}

/// A file in memory, which libavformat reads through callbacks.
///
/// Must outlive its readers; for one thread.
final class MediaInput {
    /// For one reader; this object frees it.
    let context: UnsafeMutablePointer<AVIOContext>
    private let file: UnsafeRawBufferPointer
    private var position = 0

    private static let bufferBytes = 32 << 10

    /// - Parameter file: must outlive this object.
    /// - Returns: nil when out of memory.
    init?(_ file: UnsafeRawBufferPointer) {
        self.file = file
        guard let buffer = av_malloc(Self.bufferBytes) else { return nil }
        guard
            let context = avio_alloc_context(
                buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferBytes), 0, nil,
                { input, buffer, count in
                    guard let input, let buffer else { return MediaInput.end }
                    return MediaInput.from(input).read(buffer, Int(count))
                }, nil,
                { input, offset, origin in
                    guard let input else { return -1 }
                    return MediaInput.from(input).seek(offset, origin)
                })
        else {
            av_free(buffer)
            return nil
        }
        self.context = context
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        var context: UnsafeMutablePointer<AVIOContext>? = context
        // The library may have replaced the first buffer.
        av_free(self.context.pointee.buffer)
        avio_context_free(&context)
    }

    /// `AVERROR_EOF`, a macro that Swift can't import: the negated letters `EOF` and a space.
    private static let end: Int32 = -0x2046_4F45

    private static func from(_ pointer: UnsafeMutableRawPointer) -> MediaInput {
        Unmanaged<MediaInput>.fromOpaque(pointer).takeUnretainedValue()
    }

    private func read(_ buffer: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int32 {
        let count = min(count, file.count - position)
        guard count > 0, let start = file.baseAddress else { return Self.end }
        memcpy(buffer, start + position, count)
        position += count
        return Int32(count)
    }

    private func seek(_ offset: Int64, _ origin: Int32) -> Int64 {
        let base: Int
        // The higher bits are hints.
        switch origin & 0xFFFF {
        case _ where origin & 0x10000 != 0: return Int64(file.count)
        case SEEK_SET: base = 0
        case SEEK_CUR: base = position
        case SEEK_END: base = file.count
        default: return -1
        }
        let (place, isTooFar) = base.addingReportingOverflow(Int(offset))
        guard !isTooFar, place >= 0 else { return -1 }
        position = place
        return Int64(place)
    }
}
