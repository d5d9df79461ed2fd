import Foundation

/// A segment that is being sent. While it exists, no process drops its file.
struct Segment: Sendable {
    let name: SegmentName
    let text: SegmentText
    /// Has a shared lock.
    let file: DiskFile
}
