import Synchronization

/// Families whose values must agree within one scrape, so they are read at once.
public protocol MetricSource: Sendable {
    /// Called for every scrape, on the scraping thread; must be quick and must not block.
    func expose(to text: inout MetricText)
}
