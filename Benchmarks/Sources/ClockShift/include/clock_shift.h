// No functions to call: the library is preloaded into a process whose clock is to be shifted.
