package dev.repartee.cli;

import dev.repartee.cli.options.ConnectedCommand;
import dev.repartee.cli.options.Conversation;
import dev.repartee.cli.options.Source;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Lines;
import dev.repartee.cli.terminal.Stopwatch;
import dev.repartee.internal.Threads;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code repartee send}: sends texts unchecked and prints every received frame. */
@Command(description = """
        A debugging tool: sends each line as one frame, valid or not, and prints each received \
        frame unchanged. It does not check the texts and does not match responses to \
        requests.""", footer = """
          repartee send ws://127.0.0.1:8645/         # type, and see the answers
          echo '{"jsonrpc":"2.0","method":"sum",' | repartee send http://127.0.0.1:8645/
          repartee send 'unix:./app.sock#framing=content-length' request.json --whole

        Exit codes: 0 any response or none, 2 usage, 3 cannot connect, 4 connection lost,
        5 the peer broke the framing, or answers HTTP without JSON-RPC, 6 out of memory.""")
final class SendCommand extends ConnectedCommand {
  /** The silence limit in nanoseconds while input remains to be sent: unlimited. */
  private static final long FOREVER = Long.MAX_VALUE;

  @Mixin
  final Source source = new Source();

  @Option(names = "--whole", description = "Send the whole input as one frame.")
  boolean whole;

  @Option(names = "--silence", paramLabel = "TIME", description = """
          End when everything is sent and nothing was received for this time. Default: 1s. A peer \
          that starts slowly, such as behind exec: or ssh:, may need more.""")
  Duration silence = Duration.ofSeconds(1);

  private final Unanswered unanswered = new Unanswered();

  @Override
  public Integer call() throws Exception {
    InputStream in = source.open(stdio.in());
    Stopwatch watch = connection.stopwatch(stdio);
    try (Conversation peer = connection.converse(source.uri, stdio)) {
      watch.lap("connected");
      // A separate thread sends, because waiting for input must not delay the output of frames.
      Threads.start("send", () -> send(in, peer));
      return hear(peer);
    }
  }

  private void send(InputStream in, Conversation peer) {
    try {
      if (whole) {
        say(source.whole(in), peer);
      } else {
        Lines lines = new Lines(in);
        for (byte[] line = lines.next(); line != null; line = lines.next()) {
          say(line, peer);
        }
      }
      peer.said(null);
    } catch (DisconnectedException e) {
      peer.said(null); // the receiving thread gets the cause with Closed
    } catch (IOException e) {
      peer.said(source.unreadable(e));
    } catch (Exception e) {
      peer.said(e);
    }
  }

  private void say(byte[] text, Conversation peer) throws InterruptedException {
    unanswered.sent(text); // before its answer arrives
    peer.say(text, connection.timeout);
  }

  private int hear(Conversation peer) throws Exception {
    int exit = Exit.OK;
    long patience = FOREVER;
    while (true) {
      Conversation.Event event = peer.hear(patience);
      if (event instanceof Conversation.Text text) {
        unanswered.received(text.bytes());
        if (!stdio.line(text.bytes())) {
          return exit;
        }
      } else if (event instanceof Conversation.Fault fault) {
        stdio.say(Failure.notAFrame(source.uri, fault.reason()));
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
        throw Failure.lost("the connection to " + Endpoint.shown(source.uri) + " was lost: "
            + Failure.reason(closed.cause()));
      } else { // silence, or the peer closed the connection
        if (exit == Exit.OK) {
          tellUnanswered(event == null);
        }
        return exit;
      }
    }
  }

  private void tellUnanswered(boolean isSilent) {
    long count = unanswered.count();
    if (count > 0) {
      stdio.say(count + (count == 1 ? " request was" : " requests were") + " not answered: "
          + (isSilent
              ? "no frame arrived for " + silence.toMillis()
                  + " ms; --silence 30s waits longer, such as for a peer that starts slowly"
              : "the peer has ended the connection"));
    }
  }
}
