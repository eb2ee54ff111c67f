package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.cli.options.Arguments;
import dev.repartee.cli.options.Connection;
import dev.repartee.cli.options.Source;
import dev.repartee.cli.options.Watchdog;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Lines;
import dev.repartee.cli.terminal.Stopwatch;
import dev.repartee.cli.terminal.Visible;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonScanner;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.message.Id;
import dev.repartee.message.Message;
import dev.repartee.message.Notification;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.Request;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code repartee session}: makes several calls on one connection, one after another. */
@Command(description = """
        Makes the calls in a file, or typed on standard input, on one connection, one after \
        another. Each line is METHOD, followed by the params: one JSON array or object, or \
        arguments by position, separated by blanks. 'notify METHOD ...' sends a notification. \
        Lines that are blank or start with # are skipped.
        Prints each result on standard output, in order. Errors, and the calls and notifications \
        of the peer, are printed to standard error. --timeout is the limit of each \
        call.""", footer = """
          repartee session tcp://127.0.0.1:7001            # type, and see the answers
          repartee session 'exec:clangd#framing=content-length' hover.txt
          repartee session \\
              'tcp://127.0.0.1:6640#envelope=jsonrpc-1.0&framing=concatenated' \\
              --answer echo=@params        # keeps a connection to ovsdb-server

        A file for a language server:
          initialize {"processId":null,"rootUri":null,"capabilities":{}}
          notify initialized {}
          shutdown
          notify exit

        Exit codes: 0 only results, 1 at least one error response, 2 usage, 3 cannot connect,
        4 timeout or connection lost, 5 the peer broke the protocol, 6 out of memory.""")
final class SessionCommand extends CallingCommand {
  private static final String NOTIFY = "notify";

  @Mixin
  final Source source = new Source();

  @Mixin
  final Answers answers = new Answers();

  @Override
  public Integer call() {
    Service service = answers.service();
    Lines lines = new Lines(source.open(stdio.in()));
    Stopwatch watch = connection.begin(stdio);
    Peer peer = connection.open(
        source.uri, service, options(new Incoming(source.uri)), new Connection.First(), stdio);
    int exit = Exit.OK;
    try {
      watch.lap("connected");
      for (Step step = next(lines); step != null; step = next(lines)) {
        connection.begin();
        if (step.isNotification) {
          send(peer, step);
        } else {
          exit = Math.max(exit, call(peer, source.uri, step.method, step.params, watch));
        }
      }
      report(source.uri);
      return exit;
    } finally {
      connection.begin();
      connection.close(peer);
    }
  }

  private void send(Peer peer, Step step) {
    try {
      var notification = peer.request(step.method);
      (step.params == null ? notification : notification.params(step.params)).sendNotification();
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e)); // the envelope cannot carry such params
    } catch (LimitException e) {
      throw Failure.usage("the notification is not sent because it is " + Failure.reason(e));
    } catch (DisconnectedException e) {
      throw Failure.lost("the connection to " + Endpoint.shown(source.uri) + " ended before '"
          + step.method + "' was sent: " + Failure.reason(e));
    }
  }

  // ---------------------------------------------------------------- the input

  /** One call or notification. */
  private record Step(
      boolean isNotification, String method, @Nullable Json params) {}

  /** Reads the next step; null at the end of the input. */
  private @Nullable Step next(Lines lines) {
    Watchdog.rest(); // a person who types has no time limit
    try {
      for (byte[] line = lines.next(); line != null; line = lines.next()) {
        String text = new String(line, UTF_8).strip();
        if (!text.isEmpty() && !text.startsWith("#")) {
          return step(text, "line " + lines.number() + " of " + source.name());
        }
      }
      return null;
    } catch (IOException e) {
      throw source.unreadable(e);
    }
  }

  private static Step step(String line, String place) {
    String[] words = line.split("\\s+", 2);
    boolean notifies = words[0].equals(NOTIFY) && words.length == 2;
    if (notifies) {
      words = words[1].split("\\s+", 2);
    }
    if (words[0].startsWith("{") || words[0].startsWith("[")) {
      throw Failure.usage(place + " starts with JSON; write METHOD PARAMS, or send whole messages"
          + " with 'repartee send'");
    }
    String rest = words.length == 1 ? "" : words[1].strip();
    return new Step(notifies, words[0], rest.isEmpty() ? null : params(rest, place));
  }

  /** Returns an array or object unchanged, and other words as params by position. */
  private static Json params(String text, String place) {
    byte[] b = text.getBytes(UTF_8);
    List<String> words = new ArrayList<>();
    try {
      for (int i = 0; i < b.length; ) {
        int end = wordEnd(b, i);
        words.add(new String(b, i, end - i, UTF_8));
        i = JsonScanner.space(b, end, b.length);
      }
    } catch (JsonException e) {
      throw Failure.usage(place + " has params that cannot be parsed: " + Failure.reason(e));
    }
    String first = words.get(0);
    return words.size() == 1 && (first.startsWith("{") || first.startsWith("["))
        ? Json.parse(first)
        : Arguments.byPosition(words);
  }

  private static int wordEnd(byte[] b, int from) {
    if (b[from] == '{' || b[from] == '[' || b[from] == '"') {
      return new JsonScanner(Limits.DEPTH).value(b, from, b.length, 0);
    }
    int end = from;
    while (end < b.length && JsonScanner.space(b, end, b.length) == end) {
      end++;
    }
    return end;
  }

  // ---------------------------------------------------------------- messages of the peer

  /** Shows the calls and notifications of the peer. */
  private final class Incoming extends Recorder {
    Incoming(String uri) {
      super(Connection.dialect(uri), raw);
    }

    @Override
    void decoded(ParsedFrame frame) {
      for (int i = 0; i < frame.count(); i++) {
        // Skips responses: the codec reads their errors.
        Message message = frame.kind(i) == ParsedFrame.RESPONSE ? null : frame.message(i);
        if (message instanceof Notification notification
            && !notification.method().equals(progressMethod())) {
          show("notified: " + notification.method(), notification.params());
        } else if (message instanceof Request request && !request.id().equals(Id.NULL)) {
          String answer = answers.has(request.method())
              ? "called, and answered: "
              : "called, and answered that there is no such method: ";
          show(answer + request.method(), request.params());
        }
      }
    }

    private void show(String words, @Nullable Json params) {
      if (params == null) {
        stdio.note(words);
      } else {
        stdio.note(Visible.sentence(words) + " ", params);
      }
    }
  }
}
