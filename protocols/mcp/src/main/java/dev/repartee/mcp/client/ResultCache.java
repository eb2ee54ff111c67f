package dev.repartee.mcp.client;

import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Caches results for the time that the server allows ({@code ttlMs}), by method and params.
 * Thread-safe; the monitor guards the results. Each client has its own cache; results of the scope
 * {@code private} therefore stay within one authorization.
 */
final class ResultCache {
  /** The maximum number of results, and of bytes in all of them. */
  private static final int RESULTS = 1_000;

  private static final int BYTES = 16 << 20;

  /** The maximum time to cache a result, in milliseconds. */
  private static final long LONGEST = TimeUnit.DAYS.toMillis(1);

  /**
   * A cached result. Only the JSON text is kept, because its parsed members would be many times as
   * large.
   */
  private record Entry(Link link, Json json, int rounds, Deadline deadline, long until) {
    Requests.Answer answer() {
      return new Requests.Answer(link, json, json.members(), rounds, deadline);
    }
  }

  private final Clock clock;
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private long bytes;

  /** The number of changes so far. */
  private long changes;

  ResultCache(Clock clock) {
    this.clock = clock;
  }

  /** Returns the number of changes so far. Called before a request, for {@link #put}. */
  synchronized long changes() {
    return changes;
  }

  synchronized Requests.@Nullable Answer get(String key) {
    Entry entry = entries.get(key);
    if (entry == null) {
      return null;
    }
    if (entry.until - clock.nanos() > 0) {
      return entry.answer();
    }
    remove(key);
    return null;
  }

  /**
   * Caches a result for the time in its hint. Skips a result without a hint and a result after
   * input requests. Also skips it if a change has arrived since the request, because the result may
   * be older than the change.
   *
   * @param before the {@link #changes} before the request
   */
  synchronized void put(String key, Requests.Answer answer, long before) {
    Double millis = Answers.hint(answer.members().get("ttlMs"));
    int size = answer.json().length();
    if (millis == null || millis < 1 || size > BYTES || answer.rounds() > 0 || changes != before) {
      return;
    }
    remove(key);
    long nanos = TimeUnit.MILLISECONDS.toNanos((long) Math.min(millis, LONGEST));
    Entry entry = new Entry(
        answer.link(), answer.json(), answer.rounds(), answer.deadline(), clock.nanos() + nanos);
    entries.put(key, entry);
    bytes += size;
    while (entries.size() > RESULTS || bytes > BYTES) {
      remove(entries.keySet().iterator().next());
    }
  }

  private void remove(String key) {
    Entry entry = entries.remove(key);
    if (entry != null) {
      bytes -= entry.json.length();
    }
  }

  /** Removes all results whose keys begin with this text. */
  synchronized void forget(String prefix) {
    changes++;
    for (String key : java.util.List.copyOf(entries.keySet())) {
      if (key.startsWith(prefix)) {
        remove(key);
      }
    }
  }
}
