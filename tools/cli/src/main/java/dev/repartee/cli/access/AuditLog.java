package dev.repartee.cli.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.access.AccessDecision;
import dev.repartee.access.Principal;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.internal.log.LineQueue;
import dev.repartee.internal.log.RotatingFile;
import dev.repartee.json.JsonWriter;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes a line of JSON for each decision to a {@link RotatingFile} or to standard error. A line has
 * the time, the address, the principal and its proof, the method and the outcome; it has no params
 * and no credentials. A line {@code {"lost":N}} replaces the lines for which the {@link LineQueue}
 * had no room. Thread-safe.
 */
final class AuditLog implements Consumer<AccessDecision>, AutoCloseable {
  /** The maximum number of lines that wait. A line has less than a kilobyte. */
  private static final int MAX_LINES = 10_000;

  private final LineQueue lines;

  private AuditLog(Consumer<String> target) {
    lines = LineQueue.start("repartee-audit", MAX_LINES, target, lost -> "{\"lost\":" + lost + "}");
  }

  /**
   * Opens a file, and appends to one that exists.
   *
   * @param name its name; {@code -} for standard error
   * @throws Failure if it cannot be written
   */
  static AuditLog open(String name, long maxFile, Stdio stdio) {
    if (name.equals("-")) {
      return new AuditLog(stdio::note);
    }
    try {
      return new AuditLog(new RotatingFile(
          Path.of(name),
          maxFile,
          e -> stdio.say("the audit cannot be written: " + Failure.reason(e))));
    } catch (IOException | InvalidPathException e) {
      throw Failure.usage("--audit: '" + name + "' cannot be written: " + Failure.reason(e)
          + "; example: --audit audit.jsonl");
    }
  }

  @Override
  public void accept(AccessDecision decision) {
    lines.add(new String(line(decision).toBytes(), UTF_8));
  }

  private static JsonWriter line(AccessDecision decision) {
    Principal principal = decision.principal();
    JsonWriter line = new JsonWriter();
    line.ascii("{\"time\":").string(decision.time().toString());
    line.ascii(",\"address\":").string(decision.channel().other());
    member(line, ",\"principal\":", principal == null ? null : principal.name());
    member(line, ",\"proof\":", principal == null ? null : principal.proof());
    member(line, ",\"method\":", decision.method());
    return line.ascii(",\"outcome\":")
        .string(decision.outcome().name().toLowerCase(Locale.ROOT))
        .put('}');
  }

  private static void member(JsonWriter line, String name, @Nullable String value) {
    if (value != null) {
      line.ascii(name).string(value);
    }
  }

  /** Writes the lines that wait, but not for ever. */
  @Override
  public void close() {
    lines.close();
  }
}
