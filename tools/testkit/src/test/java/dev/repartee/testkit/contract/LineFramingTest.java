package dev.repartee.testkit.contract;

import dev.repartee.framing.Framing;

class LineFramingTest extends FramingContract {
  @Override
  protected Framing framing() {
    return Framing.LINES;
  }
}
