public import Auth
public import HTTP
public import Media

/// Whose uploads are counted together: what a client can't choose at will.
public enum Uploader: Hashable, Sendable {
    /// The user of a token.
    case user(String)
    /// An API key.
    case key(KeyID)
    /// No credentials are required, and any name may be given: only the address is the client's
    /// own.
    case address(ClientAddress)
    /// All who can't be told apart.
    case anybody

    /// - Parameter address: nil if it is not to distinguish callers.
    init(_ caller: Caller, from address: ClientAddress? = nil) {
        switch caller {
        case .user(let name, _): self = .user(name)
        case .key(let account): self = .key(account.id)
        case .anybody: self = address.map(Self.address) ?? .anybody
        }
    }
}

extension InspectionClient {
    /// A caller whose file is inspected.
    ///
    /// - Parameter user: whom the request names.
    public init(_ caller: Caller, from address: ClientAddress?, user: String) {
        switch Uploader(caller, from: address) {
        case .user(let name): self.init(user: name)
        case .key(let id): self.init(user: user, of: .key("\(id.name) \(id.id ?? 0)"))
        case .address(let address): self.init(user: user, of: .address(address.text))
        case .anybody: self.init(user: user, of: .address(""))
        }
    }
}
