import CAVFormat
import MediaStorage

/// What a film or a recording tells, read by libavformat.
///
/// Files come from strangers. So: this runs in a process of its own (``Inspection``); the demuxer is
/// chosen by us and not by the file; it reads through ``MediaInput`` and can open nothing else; no
/// decoder runs; one allocation is 64 MiB at most.
struct MediaFacts: Codable, Sendable, Equatable {
    var facts = FileFacts()
    /// A stream of pictures that is no cover.
    var hasPicture = false
    var hasSound = false

    private static let sides = 1...(1 << 20)
    private static let allocationBytesMax = 64 << 20
    /// Looked at in a file whose header does not tell.
    private static let probeBytesMax = 1 << 20

    /// Sets what holds for the process; once.
    private static let isReady: Bool = {
        av_log_set_level(AV_LOG_QUIET)
        av_max_alloc(allocationBytesMax)
        return true
    }()

    /// Whether all of it is as ``read(_:type:)`` leaves it. What another process says is asked so
    /// first.
    var isSound: Bool {
        let duration = facts.duration ?? 1
        return [facts.width, facts.height].allSatisfy { $0.map(Self.sides.contains) ?? true }
            && duration.isFinite && duration > 0
    }

    /// - Returns: nil for what the library can't read.
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
        // Lists of names that nothing has: no decoder, no other file.
        av_dict_set(&options, "codec_whitelist", "none", 0)
        av_dict_set(&options, "protocol_whitelist", "none", 0)
        defer { av_dict_free(&options) }
        // Frees the context where it fails.
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
            // To the millisecond: more is noise of the time base.
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
