package dev.repartee.a2a.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.a2a.types.Task;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;

/**
 * The position of the last task of a page. The next page begins directly after this position, even
 * if tasks were added or changed in between.
 *
 * @param time the time of the status
 * @param id the id of the task, for the order of tasks with the same time
 */
public record PageToken(Instant time, String id) {
  /** The order of lists: the latest status first. */
  public static final Comparator<PageToken> ORDER =
      Comparator.comparing(PageToken::time).reversed().thenComparing(PageToken::id);

  /** Returns the position of a task. */
  public static PageToken of(Task task) {
    Instant time = task.status().timestamp();
    return new PageToken(time == null ? Instant.EPOCH : time, task.id());
  }

  /**
   * Reads a token.
   *
   * @throws IllegalArgumentException if it has another form
   */
  public static PageToken parse(String token) {
    String text = new String(Base64.getUrlDecoder().decode(token), UTF_8);
    String[] parts = text.split(" ", 3);
    if (parts.length != 3) {
      throw foreign();
    }
    long seconds = Long.parseLong(parts[0]);
    long nanos = Long.parseLong(parts[1]);
    try {
      return new PageToken(Instant.ofEpochSecond(seconds, nanos), parts[2]);
    } catch (DateTimeException | ArithmeticException e) {
      throw foreign();
    }
  }

  private static IllegalArgumentException foreign() {
    return new IllegalArgumentException("this is not a page token of this server");
  }

  /** Returns the token in the form for clients. */
  public String text() {
    String text = time.getEpochSecond() + " " + time.getNano() + " " + id;
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
  }
}
