package dev.repartee.a2a.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;

/**
 * The place of a task in a list: the last one of a page. So a page is right behind the page before,
 * also if tasks were added or changed in between.
 *
 * @param time the time of the status
 * @param id the id of the task, for the order of tasks with the same time
 */
record PageToken(Instant time, String id) {
  /** The order of lists: the latest status first. */
  static final Comparator<PageToken> ORDER =
      Comparator.comparing(PageToken::time).reversed().thenComparing(PageToken::id);

  /** Returns the place of a task. */
  static PageToken of(StoredTask stored) {
    Instant time = stored.task().status().timestamp();
    return new PageToken(time == null ? Instant.EPOCH : time, stored.task().id());
  }

  /**
   * Reads a token.
   *
   * @throws IllegalArgumentException if it has another form
   */
  static PageToken parse(String token) {
    String text = new String(Base64.getUrlDecoder().decode(token), UTF_8);
    String[] parts = text.split(" ", 3);
    if (parts.length != 3) {
      throw new IllegalArgumentException("the page token is not one of this server");
    }
    return new PageToken(
        Instant.ofEpochSecond(Long.parseLong(parts[0]), Long.parseLong(parts[1])), parts[2]);
  }

  String text() {
    String text = time.getEpochSecond() + " " + time.getNano() + " " + id;
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
  }
}
