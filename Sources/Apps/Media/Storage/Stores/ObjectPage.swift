/// A page of the list of objects that are not young.
public struct ObjectPage: Sendable, Equatable {
    /// Sorted by name.
    public internal(set) var objects: [ObjectName]
    /// The next page begins after this name. Nil on the last page.
    public internal(set) var next: ObjectName?
    /// Objects and directories that could not be looked at.
    var failures: [Failure] = []

    struct Failure: Sendable, Equatable {
        let item: String
        let error: MediaStoreError
    }

    /// - Parameter next: nil for the last page.
    public init(objects: [ObjectName], next: ObjectName?) {
        self.objects = objects
        self.next = next
    }
}
