package dev.repartee.cli.options;

import dev.repartee.cli.terminal.Stdio;
import dev.repartee.cli.terminal.Stopwatch;
import dev.repartee.json.Json;
import dev.repartee.trace.Direction;
import dev.repartee.trace.Entry;
import java.util.function.Consumer;

/** Shows the events of connections on standard error, each on a line. */
public final class ShownTrace implements Consumer<Entry> {
  private final Stdio stdio;

  ShownTrace(Stdio stdio) {
    this.stdio = stdio;
  }

  @Override
  public void accept(Entry entry) {
    String at = Stopwatch.millis(entry.at().toNanos()) + " ms ";
    if (entry instanceof Entry.Frame frame) {
      frame(at, frame);
    } else if (entry instanceof Entry.Opened opened) {
      stdio.note(at + "opened " + opened.channel().transport() + " "
          + opened.channel().remote() + " (" + opened.channel().framing() + ")");
    } else if (entry instanceof Entry.Fault fault) {
      stdio.note(at + "no message: " + fault.reason());
    } else if (entry instanceof Entry.Closed closed) {
      stdio.note(at + "closed" + (closed.reason() == null ? "" : ": " + closed.reason()));
    }
  }

  private void frame(String at, Entry.Frame frame) {
    String words =
        at + (frame.direction() == Direction.OUT ? "-> " : "<- ") + frame.size() + " bytes: ";
    Json message = frame.message();
    if (message != null) {
      stdio.note(words, message);
    } else if (frame.text() != null) {
      stdio.note(words + frame.text() + (frame.cut() ? "..." : ""));
    } else if (frame.base64() != null) {
      stdio.note(words + "in Base64 " + frame.base64() + (frame.cut() ? "..." : ""));
    } else {
      stdio.note(words + "hidden, since it is not JSON and may hold a secret");
    }
  }
}
