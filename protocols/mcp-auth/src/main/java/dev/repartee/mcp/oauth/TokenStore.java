package dev.repartee.mcp.oauth;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Stores tokens and registrations, for example in the key chain of the operating system. An entry
 * has a name, which is not secret, and a text, which is secret. There is an entry for the tokens of
 * each MCP server and authorization server, one for each registration with an authorization server,
 * and one for each MCP server.
 *
 * <p>Implementations must be thread-safe; several clients, even in several processes, may share a
 * store. The methods are called on threads that may block.
 */
public interface TokenStore {
  /** Returns the text of an entry, or null. */
  @Nullable String read(String name) throws IOException;

  /** Adds or replaces an entry. A reader sees the old text or the new one, never a part. */
  void write(String name, String secret) throws IOException;

  /** Removes an entry, if there is one. */
  void remove(String name) throws IOException;

  /** Returns a store in memory. Its entries are lost at the end of the process. */
  static TokenStore memory() {
    return new MemoryStore();
  }

  /**
   * Returns a store in a folder, which is created if it does not exist. Each entry is a file that
   * only its owner may read (mode 0600), replaced atomically. The texts are not encrypted. An
   * operation fails with an {@link IOException} if the folder or the file belongs to another user,
   * or if other users may read or change it; the folder needs the mode 0700.
   *
   * @throws UnsupportedOperationException if the file system does not support owner permissions, as
   *     on Windows
   */
  static TokenStore folder(Path folder) {
    return new FolderStore(folder);
  }
}
