package dev.repartee.transport;

import dev.repartee.Recorder;
import dev.repartee.limits.Limits;
import java.io.OutputStream;

/**
 * Connects to the endpoint of its argument and prints the first frame. Then waits, or closes at the
 * end of its standard input if an argument asks for it.
 */
final class ExecParent {
  private ExecParent() {}

  public static void main(String[] args) throws Exception {
    Endpoint endpoint = Endpoint.parse(args[0]);
    Recorder child =
        Recorder.on(Transports.of(endpoint).connect(endpoint, Limits.DEFAULT, Headers.NONE));
    System.out.println(child.next().strip());
    if (args.length == 1) {
      Thread.sleep(Long.MAX_VALUE);
    }
    System.in.transferTo(OutputStream.nullOutputStream());
    child.channel.close();
    child.end();
  }
}
