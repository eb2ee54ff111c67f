package dev.repartee.cli;

import dev.repartee.DisconnectedException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code repartee send}: whatever it is given, and whatever comes back. */
@Command(
    name = "send",
    description = {
      "Sends texts as they are, right or wrong, each line as one frame, and prints each frame that"
          + " comes back as it is. Nothing is checked and nothing is waited for: a tool to debug with."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  repartee send ws://127.0.0.1:8645/                    # type, and see the answers",
      "  echo '{\"jsonrpc\":\"2.0\",\"method\":\"sum\",' | repartee send http://127.0.0.1:8645/",
      "  repartee send 'unix:./app.sock#framing=content-length' request.json --whole",
      "",
      "Exit codes: 0 whatever came back, 2 usage, 3 cannot connect, 4 connection lost,",
      "5 what came back cannot be divided into frames, 6 out of memory."
    })
final class SendCommand implements Callable<Integer> {
  /** Longer than anybody waits: as long as there is more to send, silence ends nothing. */
  private static final long FOREVER = Long.MAX_VALUE;

  @Mixin
  final Connection connection = new Connection();

  @Mixin
  final Source source = new Source();

  @Option(names = "--whole", description = "Send all of it as one frame, lines or not.")
  boolean whole;

  @Option(
      names = "--silence",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "End when all is sent and nothing came back for that long. Default: 1s.")
  Duration silence = Duration.ofSeconds(1);

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  boolean help;

  private final Stdio stdio;

  private SendCommand(Stdio stdio) {
    this.stdio = stdio;
  }

  static CommandLine line(Stdio stdio) {
    return new CommandLine(new SendCommand(stdio));
  }

  @Override
  public Integer call() throws Exception {
    InputStream in = source.open(stdio.in());
    Stopwatch watch = connection.stopwatch(stdio);
    try (Conversation peer = connection.converse(source.uri)) {
      watch.lap("connected");
      // On a thread of its own, since reading what to send must not keep answers from being shown.
      Thread sender = new Thread(() -> send(in, peer), "send");
      sender.setDaemon(true);
      sender.start();
      return hear(peer);
    }
  }

  private void send(InputStream in, Conversation peer) {
    try {
      if (whole) {
        peer.say(source.whole(in), connection.timeout);
      } else {
        Lines lines = new Lines(in);
        for (byte[] line = lines.next(); line != null; line = lines.next()) {
          peer.say(line, connection.timeout);
        }
      }
      peer.said(null);
    } catch (DisconnectedException e) {
      peer.said(null); // whoever hears is told of the end as well, and why
    } catch (IOException e) {
      peer.said(source.unreadable(e));
    } catch (Exception e) {
      peer.said(e);
    }
  }

  private int hear(Conversation peer) throws Exception {
    int exit = Exit.OK;
    long patience = FOREVER;
    while (true) {
      Conversation.Event event = peer.hear(patience);
      if (event instanceof Conversation.Text text) {
        if (!stdio.line(text.bytes())) {
          return exit;
        }
      } else if (event instanceof Conversation.Fault fault) {
        stdio.say(source.uri + " sent what is no frame (is #framing= right?): " + fault.reason());
        exit = Exit.PROTOCOL;
      } else if (event instanceof Conversation.Refused refused) {
        stdio.say(refused.failure().sentence());
        exit = refused.failure().exit();
      } else if (event instanceof Conversation.Said said) {
        if (said.failure() != null) {
          throw said.failure();
        }
        patience = silence.toNanos();
      } else if (event instanceof Conversation.Closed closed && closed.cause() != null) {
        throw new Failure(
            Exit.LOST,
            "the connection to " + source.uri + " was lost: " + Failure.reason(closed.cause()));
      } else {
        return exit; // silence, or the peer's own end
      }
    }
  }
}
