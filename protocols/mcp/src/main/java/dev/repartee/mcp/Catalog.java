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
 * The tools, the prompts, the resources or the resource templates of a server, by name, in the
 * order in which they were added. Thread-safe: readers see an immutable map without a lock, writers
 * replace it under the lock of this object and notify after releasing it.
 *
 * @param <T> the type of the entries
 */
final class Catalog<T> {
  private final String member;
  private final Runnable changed;
  private volatile Map<String, T> entries = Map.of();

  /**
   * @param member the name of the member of a result that has the list
   * @param changed runs after each change
   */
  Catalog(String member, Runnable changed) {
    this.member = member;
    this.changed = changed;
  }

  /** Returns the entry of that name, or null. */
  @Nullable T find(String name) {
    return entries.get(name);
  }

  Collection<T> all() {
    return entries.values();
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** Adds an entry, or replaces the one of the same name. */
  void put(String name, T entry) {
    synchronized (this) {
      Map<String, T> copy = new LinkedHashMap<>(entries);
      copy.put(name, entry);
      entries = copy;
    }
    changed.run();
  }

  /** Removes an entry; false if there was none of that name. */
  boolean remove(String name) {
    synchronized (this) {
      Map<String, T> copy = new LinkedHashMap<>(entries);
      if (copy.remove(name) == null) {
        return false;
      }
      entries = copy;
    }
    changed.run();
    return true;
  }

  /**
   * Returns a page within the limits of the server. The list may take half of a message; the rest
   * is for the other members.
   */
  JsonObjectBuilder page(@Nullable String cursor, McpServer server, Function<T, Json> form) {
    int bytes = server.settings().options().limits().frameBytes() / 2;
    return page(cursor, server.settings().pageSize(), bytes, form);
  }

  /**
   * Returns a page of the list: up to {@code size} entries after the one that the cursor names, and
   * fewer if they would exceed {@code bytes}.
   *
   * @param bytes the maximum size of all entries of a page in bytes; a page has at least one entry
   * @throws dev.repartee.RpcException -32602 if the cursor is not valid, or its entry was removed
   */
  JsonObjectBuilder page(@Nullable String cursor, int size, int bytes, Function<T, Json> form) {
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
          "cursor: it is not one of this server; start again without a cursor");
    }
  }
}
