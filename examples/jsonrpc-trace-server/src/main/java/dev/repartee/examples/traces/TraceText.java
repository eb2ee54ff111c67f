package dev.repartee.examples.traces;

import dev.repartee.lsp.types.DiagnosticSeverity;
import dev.repartee.lsp.types.Position;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A version of a document: its lines, and the exchanges that they form. Immutable.
 *
 * <p>A new version copies the facts of its unchanged lines from the previous version. The rest
 * needs linear time: the text is compared, split into lines, and paired.
 */
final class TraceText {
  /** The size of a document in characters above which it is not read: 32 Mi. */
  static final int MOST_CHARS = 32 << 20;

  /** The number of lines, and of messages, above which a document is not read. */
  static final int MOST_LINES = 400_000;

  private static final int IN_HEADER = 1_000;

  private final String text;
  private final int[] starts;
  private final boolean isRecording;
  private final List<TraceLine> lines;
  private final Pairing pairing;

  /** Reads a document that was opened. */
  static TraceText of(String text) {
    return new TraceText(text, null);
  }

  /** Reads this document after a change. */
  TraceText changed(String newText) {
    return new TraceText(newText, this);
  }

  private TraceText(String text, @Nullable TraceText before) {
    this.text = text;
    this.starts = text.length() > MOST_CHARS ? new int[1] : starts(text);
    String first = text.substring(0, Math.min(content(0), IN_HEADER));
    this.isRecording = first.contains("\"repartee\"") && first.contains("\"recording\"");
    boolean fits = text.length() <= MOST_CHARS && starts.length <= MOST_LINES;
    this.lines = fits ? lines(before) : List.of();
    this.pairing = new Pairing(lines);
  }

  // ---------------------------------------------------------------- lines

  /** Returns the index of the first character of each line. */
  private static int[] starts(String text) {
    int[] starts = new int[64];
    int count = 1;
    int feed = text.indexOf('\n');
    int carriage = text.indexOf('\r');
    while ((feed >= 0 || carriage >= 0) && count <= MOST_LINES) {
      boolean isFeed = carriage < 0 || feed >= 0 && feed < carriage;
      int next = (isFeed || carriage + 1 == feed ? feed : carriage) + 1;
      if (count == starts.length) {
        starts = Arrays.copyOf(starts, 2 * count);
      }
      starts[count++] = next;
      feed = feed < next && feed >= 0 ? text.indexOf('\n', next) : feed;
      carriage = carriage < next && carriage >= 0 ? text.indexOf('\r', next) : carriage;
    }
    return Arrays.copyOf(starts, count);
  }

  /** Reads the lines; returns none if there are too many messages. */
  private List<TraceLine> lines(@Nullable TraceText before) {
    int count = starts.length;
    int same = 0;
    int sameAtEnd = 0;
    if (before != null && before.isRead() && before.isRecording == isRecording) {
      same = sameAtStart(before);
      sameAtEnd = Math.min(sameAtEnd(before), Math.min(count, before.starts.length) - same);
    }
    LineReader reader = new LineReader();
    TraceLine[] all = new TraceLine[count];
    int messages = 0;
    for (int i = 0; i < count; i++) {
      if (before != null && i < same) {
        all[i] = before.lines.get(i);
      } else if (before != null && i >= count - sameAtEnd && i > 0) {
        all[i] = before.lines.get(before.starts.length - count + i);
      } else {
        all[i] = read(reader, i);
      }
      messages += all[i].messages().size();
      if (messages > MOST_LINES) {
        return List.of();
      }
    }
    return List.of(all);
  }

  /** Returns whether the document is within the limits; otherwise it has no lines. */
  private boolean isRead() {
    return !lines.isEmpty();
  }

  private TraceLine read(LineReader reader, int number) {
    String line = line(number);
    if (!isRecording) {
      return reader.message(line);
    }
    boolean isLast = number == starts.length - 1;
    return number == 0
        ? reader.header(line)
        : isLast && line.isEmpty() ? TraceLine.BLANK : reader.entry(line);
  }

  /** Returns the number of lines at the start that are the same as before. */
  private int sameAtStart(TraceText before) {
    int most = Math.min(text.length(), before.text.length());
    int i = 0;
    while (i < most && text.charAt(i) == before.text.charAt(i)) {
      i++;
    }
    // The line with the first difference has changed; the last line has no line end.
    int found = Arrays.binarySearch(before.starts, i);
    int line = found >= 0 ? found : -found - 2;
    return Math.min(Math.max(line, 0), starts.length - 1);
  }

  /** Returns the number of lines at the end that are the same as before. */
  private int sameAtEnd(TraceText before) {
    int length = before.text.length();
    int shift = text.length() - length;
    int i = length;
    while (i > 0 && i + shift > 0 && text.charAt(i + shift - 1) == before.text.charAt(i - 1)) {
      i--;
    }
    // The end of the line before is part of the text that is the same.
    int found = Arrays.binarySearch(before.starts, i + 1);
    int line = found >= 0 ? found : -found - 1;
    return before.starts.length - Math.max(line, 1);
  }

  /** Returns the index after the last character of a line, without its line end. */
  private int content(int line) {
    int end = line + 1 < starts.length ? starts[line + 1] : text.length();
    while (end > starts[line] && line + 1 < starts.length && isEnd(text.charAt(end - 1))) {
      end--;
    }
    return end;
  }

  private static boolean isEnd(char c) {
    return c == '\n' || c == '\r';
  }

  /** Returns the text of a line, without its end. */
  String line(int number) {
    return text.substring(starts[number], content(number));
  }

  /** Returns the length of a line in characters. */
  int length(int line) {
    return content(line) - starts[line];
  }

  /** Returns the number of lines that were read; none if the document exceeds a limit. */
  int size() {
    return lines.size();
  }

  String text() {
    return text;
  }

  // ---------------------------------------------------------------- messages

  /** Returns the message at a position; null if there is none. */
  Exchange.@Nullable Part at(Position position) {
    if (position.line() < 0 || position.line() >= lines.size()) {
      return null;
    }
    TraceLine line = lines.get(position.line());
    for (TraceMessage message : line.messages()) {
      boolean isIn = position.character() >= message.from() && position.character() <= message.to();
      if (isIn || line.messages().size() == 1) {
        return new Exchange.Part(position.line(), message, line.stamp());
      }
    }
    return null;
  }

  /** Returns the exchange of the message at a position; null if there is none. */
  @Nullable Exchange exchangeAt(Position position) {
    Exchange.Part part = at(position);
    return part == null ? null : pairing.exchangeOf(part.message());
  }

  Pairing pairing() {
    return pairing;
  }

  TraceLine facts(int line) {
    return lines.get(line);
  }

  /** A finding with its line. */
  record Found(int line, Finding finding) {}

  /** Returns at most {@code most} findings, in the order of the lines; the gravest if too many. */
  List<Found> findings(int most) {
    if (!isRead()) {
      return List.of(new Found(
          0,
          new Finding(
              0,
              0,
              DiagnosticSeverity.WARNING,
              "not read: a trace may have " + MOST_CHARS + " characters, " + MOST_LINES
                  + " lines and as many messages; split it")));
    }
    List<Found> found = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      for (Finding finding : lines.get(i).findings()) {
        found.add(new Found(i, finding));
      }
    }
    pairing
        .findings()
        .forEach((line, more) -> more.forEach(finding -> found.add(new Found(line, finding))));
    if (found.size() > most) {
      found.sort((a, b) ->
          Integer.compare(a.finding.severity().value(), b.finding.severity().value()));
      int left = found.size() - most;
      found.subList(most, found.size()).clear();
      found.add(new Found(
          0,
          new Finding(
              0,
              length(0),
              DiagnosticSeverity.INFORMATION,
              left + " more findings are not shown")));
    }
    found.sort((a, b) -> Integer.compare(a.line, b.line));
    return found;
  }
}
