package dev.repartee.transport;

import dev.repartee.Recorder;
import dev.repartee.limits.Limits;

/** A process that echoes the frames of its standard input, and prints a line. */
final class StdioEcho {
  private StdioEcho() {}

  public static void main(String[] args) throws Exception {
    Recorder[] started = new Recorder[1];
    Endpoint endpoint = Endpoint.parse("stdio:");
    Transports.of(endpoint).listen(endpoint, Limits.DEFAULT, channel -> {
      started[0] = Recorder.echo(channel);
      channel.start(started[0]);
    });
    System.out.println("a print of the application");
    System.err.println("ended: " + started[0].end());
    started[0].channel.close();
  }
}
