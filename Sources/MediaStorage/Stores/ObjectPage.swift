/// A piece of the list of objects that are not young.
public struct ObjectPage: Sendable, Equatable {
    /// In the order of their names.
    public let objects: [ObjectName]
    /// Where the next page begins: after this one. Nil when there is none.
    public let next: ObjectName?

    /// - Parameter next: nil for the last page.
    public init(objects: [ObjectName], next: ObjectName?) {
        self.objects = objects
        self.next = next
    }
}
