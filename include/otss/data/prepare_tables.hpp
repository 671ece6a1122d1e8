// Opens databases for tables before the tables are read.
#pragma once

namespace otss {

// Tells the library that the program will soon make `count` TableReaders that read on `threads`
// threads (0 means all cores). Their databases are opened meanwhile, on other threads: this takes
// about 10 ms for each. Does nothing for one thread.
void prepare_tables(int count, int threads);

}  // namespace otss
