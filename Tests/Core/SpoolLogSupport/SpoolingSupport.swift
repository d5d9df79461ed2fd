/// A model of a disk, for tests and for the simulation of the whole service.
///
/// ``ModelDisk`` keeps two states of everything: what a process sees, and what would be found after
/// a crash. Its seed decides every choice.
enum SpoolLogSupport {}
