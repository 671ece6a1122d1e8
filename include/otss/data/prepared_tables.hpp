// Opens databases for tables before the tables are read.
#pragma once

namespace otss {

// Tells the library that the program will soon make `count` TableReaders that read on `threads`
// threads (0 means all cores). Their databases are opened meanwhile, on other threads: this takes
// about 10 ms for each. Does nothing for one thread. The destructor closes databases that no
// TableReader has taken. A program must not end before that: exit() while a database is being opened
// destroys what the opening thread uses.
class PreparedTables {
 public:
  PreparedTables(int count, int threads);
  ~PreparedTables();
  PreparedTables(const PreparedTables&) = delete;
  PreparedTables& operator=(const PreparedTables&) = delete;
};

}  // namespace otss
