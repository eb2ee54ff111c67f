package dev.repartee;

/** Connects to the endpoint of its argument, prints the first frame, and waits, or closes if told to. */
final class ExecParent {
  private ExecParent() {}

  public static void main(String[] args) throws Exception {
    Endpoint endpoint = Endpoint.parse(args[0]);
    Recorder child = Recorder.on(Transports.of(endpoint).connect(endpoint, Options.DEFAULT));
    System.out.println(child.next().strip());
    if (args.length == 1) {
      Thread.sleep(Long.MAX_VALUE);
    }
    child.channel.close();
    child.end();
  }
}
