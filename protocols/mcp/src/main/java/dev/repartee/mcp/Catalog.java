package dev.repartee.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Json;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a server offers of one kind, by name, in the order it was added; it may change while it is
 * served. Thread-safe.
 *
 * @param <T> the kind
 */
final class Catalog<T> {
  private final String member;
  private final Runnable changed;
  private volatile Map<String, T> entries = Map.of();

  /**
   * @param member what a list of them is called
   * @param changed is run after each change
   */
  Catalog(String member, Runnable changed) {
    this.member = member;
    this.changed = changed;
  }

  /** The one of that name, or null. */
  @Nullable T find(String name) {
    return entries.get(name);
  }

  Collection<T> all() {
    return entries.values();
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** Adds one, in the place of one of the same name. */
  void put(String name, T entry) {
    synchronized (this) {
      Map<String, T> copy = new LinkedHashMap<>(entries);
      copy.put(name, entry);
      entries = copy;
    }
    changed.run();
  }

  /** Removes the one of that name; answers whether there was one. */
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

  /** One page of a list as that server has them; half of a message is left to what is beside the list. */
  Members page(@Nullable String cursor, McpServer server, Function<T, Json> form) {
    int bytes = server.options().limits().frameBytes() / 2;
    return page(cursor, server.pageSize(), bytes, form);
  }

  /**
   * One page of a list: entries behind the one that the cursor names, at most {@code size} of them, and
   * fewer where they would not fit into a message.
   *
   * @param bytes what the entries of a page may take together; a page has one at least
   * @throws dev.repartee.RpcException -32602 for a cursor that is none, or whose entry is gone
   */
  Members page(@Nullable String cursor, int size, int bytes, Function<T, Json> form) {
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
          return new Members().put(member, page).put("nextCursor", encode(last));
        }
        page.add(next);
        last = entry.getKey();
      } else {
        within = entry.getKey().equals(after);
      }
    }
    if (!within) {
      throw Fields.invalid("cursor: the list has changed; begin anew without it");
    }
    return new Members().put(member, page);
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
      throw Fields.invalid("cursor: it is not one that was given out; begin anew without it");
    }
  }
}
