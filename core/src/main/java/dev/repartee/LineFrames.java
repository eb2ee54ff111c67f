package dev.repartee;

final class LineFrames implements Frames {
  LineFrames(Limits limits) {}

  @Override
  public int read(byte[] b, int from, int to, Receiver receiver) {
    return to;
  }

  @Override
  public void end(byte[] b, int from, int to, Receiver receiver) {}

  @Override
  public boolean ended() {
    return false;
  }

  @Override
  public void begin(Output out) {}

  @Override
  public void finish(Output out, int start) {}

  @Override
  public Framing framing() {
    return Framing.LINES;
  }
}
