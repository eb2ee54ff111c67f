package dev.repartee.testkit;

import dev.repartee.Framing;

class SequenceFramingTest extends FramingContract {
  @Override
  protected Framing framing() {
    return Framing.JSON_SEQ;
  }
}
