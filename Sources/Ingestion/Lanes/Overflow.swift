/// Where a lane's batches go that the database doesn't take now.
protocol Overflow: AnyObject, Sendable {
    /// Takes a consignment together with the duty to settle its receipt.
    ///
    /// - Returns: false when there is no room; the lane answers then.
    func take(_ consignment: Consignment) -> Bool
    /// To be called behind a run of ``take(_:)``.
    func dispatch()
}
