/// What is done with the elements of an XML file.
protocol XMLHandler: AnyObject {
    /// - Parameters:
    ///   - name: without the prefix of a namespace.
    ///   - prefix: of the name; empty: it has none.
    ///   - line: where the element begins.
    func begin(_ name: String, prefix: String, _ attributes: XMLAttributes, line: Int) throws
    /// - Parameter name: without the prefix of a namespace.
    func end(_ name: String) throws
    /// A part of the text in an element; in UTF-8.
    func add(_ text: UnsafeRawBufferPointer) throws
}
