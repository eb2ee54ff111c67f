package dev.repartee.a2a.jdbc;

import dev.repartee.a2a.server.MemoryTaskStore;
import dev.repartee.a2a.server.TaskStore;

/** Tests that the store in memory follows the same rules as the stores in databases. */
class MemoryTaskStoreTest extends TaskStoreContract {
  @Override
  TaskStore open() {
    return new MemoryTaskStore(100, ROOM);
  }
}
