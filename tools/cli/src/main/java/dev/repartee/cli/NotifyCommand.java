package dev.repartee.cli;

import dev.repartee.cli.options.Arguments;
import dev.repartee.cli.options.ConnectedCommand;
import dev.repartee.cli.options.Connection;
import dev.repartee.cli.options.Conversation;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stopwatch;
import dev.repartee.json.Json;
import dev.repartee.json.JsonWriter;
import dev.repartee.message.Codec;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code repartee notify}: sends one notification, which has no response. */
@Command(description = """
        Sends a notification and ends when it has been sent. There is no response, so the command \
        cannot report whether the peer handled it.""", footer = """
          repartee notify http://127.0.0.1:8645/ update 1 2 3
          repartee notify unix:./app.sock notify_hello --named n=7

        Exit codes: 0 sent, 2 usage, 3 cannot connect, 4 timeout or connection lost,
        5 the peer broke the protocol, 6 out of memory.""")
final class NotifyCommand extends ConnectedCommand {
  @Mixin
  final Arguments arguments = new Arguments();

  @Override
  public Integer call() throws InterruptedException {
    arguments.check();
    byte[] text = notification(arguments.json(stdio.in()));
    Stopwatch watch = connection.begin(stdio);
    try (Conversation peer = connection.converse(arguments.uri, stdio)) {
      watch.lap("connected");
      peer.say(text, connection.left());
      peer.finish(connection.left());
      watch.lap("sent");
    } catch (DisconnectedException e) {
      throw Failure.lost("the connection to " + Endpoint.shown(arguments.uri) + " ended before '"
          + arguments.method + "' was sent: " + Failure.reason(e));
    }
    return Exit.OK;
  }

  private byte[] notification(@Nullable Json params) {
    Codec codec = Connection.dialect(arguments.uri).codec();
    JsonWriter out = new JsonWriter();
    try {
      codec.call(out, Codec.NO_ID, arguments.method, params);
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    }
    return out.toBytes();
  }
}
