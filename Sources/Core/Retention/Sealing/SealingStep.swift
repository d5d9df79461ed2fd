/// The steps by which a day is sealed or unsealed, in order. The process may end between any two,
/// and in any of them; the next call continues from the state in the database.
public enum SealingStep: String, Sendable, CaseIterable {
    /// The other form is made, and changes of the day are noted from then on.
    case begin
    /// The readings of the next devices are copied into the other form. Repeated.
    case copy
    /// Devices that changed since then are copied again. Repeated; only before the last step of
    /// sealing.
    case copyChanged
    /// The forms are exchanged, and the old one is dropped.
    case exchange
}
