import Captures
import Foundation
import Readings
import TestSupport
import Testing

/// Not a benchmark: a bound that only a wrong algorithm exceeds, in any build.
@Suite(.timeLimit(.minutes(10)))
struct FrameSpeedTests {
    private static let frame =
        #"{"type":"memory_capture","id":"0b7ff9a0-6e1c-4b66-9a9b-2f1f6f6b7a11","timestamp":"2026-01-24T10:30:00-05:00","photoURL":"https://example.org/media/memories/0b7ff9a0-6e1c-4b66-9a9b-2f1f6f6b7a11/photo.jpg","audioURL":"https://example.org/media/memories/0b7ff9a0-6e1c-4b66-9a9b-2f1f6f6b7a11/audio.m4a","transcription":"Just met with John at the coffee shop to discuss the project."}"#

    private func time(_ body: () -> Void) -> Duration {
        (0..<5).map { _ in ProcessorTime.measure { for _ in 0..<2000 { body() } } / 2000 }.min()!
    }

    @Test func `a frame is read faster than by Foundation`() {
        let bytes = Array(Self.frame.utf8)
        let data = Data(bytes)
        let ours = time {
            bytes.withUnsafeBytes {
                guard case .success = CaptureFrame.decode($0) else { return }
            }
        }
        let theirs = time { _ = try? JSONSerialization.jsonObject(with: data) }
        let whole = time {
            bytes.withUnsafeBytes {
                guard case .success(let capture) = CaptureFrame.decode($0) else { return }
                _ = capture.unit(user: "po-lin", receivedAt: Timestamp(microseconds: 0))
                _ = CaptureReply.acknowledgement(of: capture)
            }
        }
        print(
            "frame of \(bytes.count) bytes: decode \(ours), with unit and reply \(whole),",
            "Foundation \(theirs)")
        #if !DEBUG
        #expect(ours < .microseconds(5))
        #expect(ours < theirs)
        #endif
    }

    @Test func `a long text costs in proportion to its length`() {
        func frame(_ count: Int) -> [UInt8] {
            let text = String(repeating: #"\u00e9\n"#, count: count)
            return Array(
                #"{"type":"memory_capture","timestamp":"2026-01-23T14:30:00Z","transcription":"\#(text)"}"#
                    .utf8)
        }
        let time = { (bytes: [UInt8]) in
            (0..<5).map { _ in
                ProcessorTime.measure { _ = bytes.withUnsafeBytes { CaptureFrame.decode($0) } }
            }.min()!
        }
        #expect(time(frame(10_000)) < time(frame(1000)) * 30 + .milliseconds(2))
    }
}
