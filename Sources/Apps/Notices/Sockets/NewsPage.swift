import Notices

/// A page of undelivered news.
public struct NewsPage: Sendable {
    var news: [News]
    /// The last id that was read; nil if there are no more.
    var next: Int64?
}
