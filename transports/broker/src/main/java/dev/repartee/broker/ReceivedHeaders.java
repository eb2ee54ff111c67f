package dev.repartee.broker;

import dev.repartee.internal.Text;
import dev.repartee.internal.Times;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Collects the headers of a message that its sender has set, and {@link Times#HEADER}, which the
 * engine reads. Leaves out:
 *
 * <ul>
 *   <li>the other headers of this library and of NATS
 *   <li>a header with a control character, which an HTTP request could not have: a handler may write
 *       its value to a log or to another message
 *   <li>a header with a name that is not visible ASCII: it could equal another name in Unicode only
 * </ul>
 *
 * <p>Not thread-safe.
 */
public final class ReceivedHeaders {
  /**
   * The maximum number of characters of all headers. A message with more has none: the sender would
   * choose which of them are dropped.
   */
  private static final int MOST = 16 << 10;

  /**
   * The maximum number of values; a message with more has no headers, either. Small ones use many
   * times their size in memory, and each value of a name copies those before it.
   */
  private static final int MOST_VALUES = 128;

  /**
   * The remaining time; empty if it is no number or is repeated, null if there is none. It is not
   * one of the headers that the limits count: without it, a call with too many of them would run for
   * longer than its caller waits.
   */
  private @Nullable String time;

  /** Null before the first header, which most messages do not have. */
  private @Nullable Map<String, String> fields;

  private int size;
  private int count;

  /** Creates a collection without headers. */
  public ReceivedHeaders() {}

  /** Adds a header; several values of a name are joined by commas, as in {@code HttpRequest}. */
  public void add(String name, String value) {
    if (isName(name) && name.equalsIgnoreCase(Times.HEADER)) {
      time = time == null && Text.number(value) >= 0 ? value : "";
      return;
    }
    if (begins(name, "repartee-") || begins(name, "nats-") || !isName(name) || !isText(value)) {
      return;
    }
    size += name.length() + value.length(); // no overflow: a message has less than 2 GB
    count++;
    if (size > MOST || count > MOST_VALUES) {
      fields = null;
      return;
    }
    fields = some();
    fields.merge(name, value, (one, other) -> one + ", " + other);
  }

  private Map<String, String> some() {
    return fields == null ? new TreeMap<>(String.CASE_INSENSITIVE_ORDER) : fields;
  }

  private static boolean begins(String name, String prefix) {
    return name.regionMatches(true, 0, prefix, 0, prefix.length());
  }

  private static boolean isName(String name) {
    return !name.isEmpty() && name.chars().allMatch(c -> c > 0x20 && c < 0x7F);
  }

  private static boolean isText(String text) {
    return text.chars().noneMatch(c -> Character.isISOControl(c) && c != '\t');
  }

  /** Returns the headers by names that ignore case. */
  public Map<String, String> get() {
    if (time != null && !time.isEmpty()) {
      fields = some();
      fields.put(Times.HEADER, time);
    }
    return fields == null ? Map.of() : Collections.unmodifiableMap(fields);
  }
}
