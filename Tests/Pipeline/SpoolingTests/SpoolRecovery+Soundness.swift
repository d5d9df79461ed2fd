import Spooling

extension SpoolRecovery {
    /// Whether it tells of no damage where none was done.
    ///
    /// - Parameter mayDoubt: a write may have been torn, which looks as if it had been spoilt later.
    func isSound(mayDoubt: Bool) -> Bool {
        setAside.allSatisfy { bad in
            if mayDoubt, case .doubtful = bad.reason { true } else { false }
        }
    }
}
