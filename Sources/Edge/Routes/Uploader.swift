import Access

/// Whose uploads are counted together.
enum Uploader: Hashable {
    case user(String)
    case key(KeyID)
    /// Nobody has to say who he is, and any name may be given: only the address is the client's own.
    case address(ClientAddress)
    case anybody

    /// - Parameter address: nil where it is not to tell callers apart.
    init(_ caller: Caller, from address: ClientAddress? = nil) {
        switch caller {
        case .user(let name, _): self = .user(name)
        case .key(let account): self = .key(account.id)
        case .anybody: self = address.map(Self.address) ?? .anybody
        }
    }
}
