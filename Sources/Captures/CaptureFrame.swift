/// The text frames of `/ws/ios/{user_id}`.
public enum CaptureFrame {
    /// Reads one frame.
    ///
    /// - Parameter bytes: the frame's text, on loan.
    /// - Returns: the first fault in this order: JSON, keys that stand twice, type, then timestamp,
    ///   id, photoURL, audioURL, transcription.
    public static func decode(_ bytes: UnsafeRawBufferPointer) -> Result<Capture, CaptureFault> {
        let bytes = bytes.bindMemory(to: UInt8.self)
        do throws(CaptureFault) {
            let fields = try FrameFields(bytes)
            guard fields.isCapture else { throw .otherType }
            return .success(try fields.capture())
        } catch {
            return .failure(error)
        }
    }

    /// As ``decode(_:)-(UnsafeRawBufferPointer)``.
    public static func decode(_ text: String) -> Result<Capture, CaptureFault> {
        var text = text
        return text.withUTF8 { decode(UnsafeRawBufferPointer($0)) }
    }
}
