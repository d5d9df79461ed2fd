import SpoolLog

extension SpoolRecovery {
    /// Whether it reports no damage where none was done.
    ///
    /// - Parameter mayDoubt: a write may have been torn, which looks like later damage.
    func isSound(mayDoubt: Bool) -> Bool {
        setAside.allSatisfy { bad in
            if mayDoubt, case .doubtful = bad.reason { true } else { false }
        }
    }
}
