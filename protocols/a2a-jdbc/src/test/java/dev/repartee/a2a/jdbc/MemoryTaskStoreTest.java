package dev.repartee.a2a.jdbc;

import dev.repartee.a2a.server.MemoryTaskStore;
import dev.repartee.a2a.server.TaskStore;

/** The store in memory keeps the same rules as those in databases. */
class MemoryTaskStoreTest extends TaskStoreContract {
  @Override
  TaskStore open() {
    return new MemoryTaskStore(100, ROOM);
  }
}
