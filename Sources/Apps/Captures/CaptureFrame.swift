public import Readings
import Scanner

/// Decodes the text frames of `/ws/ios/{user_id}`.
public enum CaptureFrame {
    /// All times that have a text: the years 1 to 9999.
    public static let anyTime =
        Timestamp(
            microseconds: -63_082_281_600_000_000)...Timestamp(
            microseconds: 252_455_615_999_999_999)

    /// Decodes one frame.
    ///
    /// - Parameters:
    ///   - bytes: the frame's text, on loan.
    ///   - times: those that a capture may have.
    /// - Returns: the capture, or the first fault in this order: JSON, repeated keys, type,
    ///   timestamp, id, photoURL, audioURL, transcription.
    public static func decode(
        _ bytes: UnsafeRawBufferPointer, accepting times: ClosedRange<Timestamp> = anyTime
    ) -> Result<Capture, CaptureFault> {
        let bytes = bytes.bindMemory(to: UInt8.self)
        do throws(CaptureFault) {
            let fields = try FrameFields(bytes)
            guard fields.isCapture else { throw .otherType }
            return .success(try fields.capture(accepting: times))
        } catch {
            return .failure(error)
        }
    }
}
