package dev.repartee.mcp.oauth;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Stores entries in memory. Thread-safe. */
final class MemoryStore implements TokenStore {
  private final Map<String, String> entries = new ConcurrentHashMap<>();

  @Override
  public @Nullable String read(String name) {
    return entries.get(name);
  }

  @Override
  public void write(String name, String secret) {
    entries.put(name, secret);
  }

  @Override
  public void remove(String name) {
    entries.remove(name);
  }
}
