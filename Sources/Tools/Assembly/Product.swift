import Formats
public import Server

/// The product: the server with all apps. Only here, and in the commands, apps have names.
public enum Product {
    /// The apps that are built into it.
    public static let apps: [any App] = [FormatsApp(), UserApps()]
    /// All its settings.
    public static let settings = Settings(apps: apps)
    /// The OpenAPI document of all its routes.
    public static let document = APIDocument.json
}
