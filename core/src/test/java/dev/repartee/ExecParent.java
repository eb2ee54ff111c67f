package dev.repartee;

/** Connects to the endpoint of its argument, tells the first frame from there, and waits. */
final class ExecParent {
  private ExecParent() {}

  public static void main(String[] args) throws Exception {
    Endpoint endpoint = Endpoint.parse(args[0]);
    Recorder child = Recorder.on(Transports.of(endpoint).connect(endpoint, Options.DEFAULT));
    System.out.println(child.next().strip());
    Thread.sleep(Long.MAX_VALUE);
  }
}
