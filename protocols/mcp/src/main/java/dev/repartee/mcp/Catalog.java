package dev.repartee.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.wire.JsonObjectReader;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The tools, the prompts, the resources or the resource templates of a server, in the order in which
 * they were added. Each change is reported to the clients that subscribed to changes of the list.
 *
 * <p>Thread-safe. Readers use an immutable map without a lock. Writers replace the map under the
 * lock of this object, and notify clients after releasing the lock. No method waits for a client.
 *
 * @param <T> the type of the entries
 */
public final class Catalog<T> {
  private final Function<T, String> key;
  private final Runnable changed;
  private volatile Map<String, T> entries = Map.of();

  /**
   * @param key returns the name, the URI or the URI template of an entry
   * @param changed runs after each change
   */
  Catalog(Function<T, String> key, Runnable changed) {
    this.key = key;
    this.changed = changed;
  }

  /** Returns the entry of that key, or null. */
  @Nullable T find(String key) {
    return entries.get(key);
  }

  Collection<T> all() {
    return entries.values();
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** Adds an entry, or replaces the entry of the same key, and notifies clients. */
  public void add(T entry) {
    synchronized (this) {
      Map<String, T> copy = new LinkedHashMap<>(entries);
      copy.put(key.apply(entry), entry);
      entries = copy;
    }
    changed();
  }

  /**
   * Removes an entry by its name, URI or URI template, and notifies clients.
   *
   * @return false if the entry did not exist
   */
  public boolean remove(String key) {
    synchronized (this) {
      Map<String, T> copy = new LinkedHashMap<>(entries);
      if (copy.remove(key) == null) {
        return false;
      }
      entries = copy;
    }
    changed();
    return true;
  }

  /**
   * Notifies clients that the list has changed, for changes that {@link #add} and {@link #remove}
   * did not make.
   */
  public void changed() {
    changed.run();
  }

  /**
   * Returns a page of the list: up to {@code size} entries after the entry that the cursor names,
   * and fewer if they would exceed {@code bytes}.
   *
   * @param member the name of the result member that contains the list
   * @param bytes the maximum size of all entries of a page in bytes; a page has at least one entry
   * @throws dev.repartee.RpcException -32602 if the cursor is not valid, or its entry was removed
   */
  JsonObjectBuilder page(
      String member, @Nullable String cursor, int size, int bytes, Function<T, Json> form) {
    Map<String, T> all = entries;
    boolean within = cursor == null;
    String after = cursor == null ? "" : decode(cursor);
    List<Json> page = new ArrayList<>();
    String last = null;
    long taken = 0;
    for (Map.Entry<String, T> entry : all.entrySet()) {
      if (within) {
        Json next = page.size() == size ? null : form.apply(entry.getValue());
        taken += next == null ? 0 : next.length() + 1;
        if (next == null || taken > bytes && !page.isEmpty()) {
          return new JsonObjectBuilder().put(member, page).put("nextCursor", encode(last));
        }
        page.add(next);
        last = entry.getKey();
      } else {
        within = entry.getKey().equals(after);
      }
    }
    if (!within) {
      throw JsonObjectReader.invalid("cursor: the list has changed; start again without a cursor");
    }
    return new JsonObjectBuilder().put(member, page);
  }

  private static @Nullable String encode(@Nullable String name) {
    return name == null
        ? null
        : Base64.getUrlEncoder().withoutPadding().encodeToString(name.getBytes(UTF_8));
  }

  private static String decode(String cursor) {
    try {
      return new String(Base64.getUrlDecoder().decode(cursor), UTF_8);
    } catch (IllegalArgumentException e) {
      throw JsonObjectReader.invalid(
          "cursor: not a cursor of this server; start again without a cursor");
    }
  }
}
