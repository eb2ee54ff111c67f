package dev.repartee.testkit.contract;

import dev.repartee.framing.Framing;

class SequenceFramingTest extends FramingContract {
  @Override
  protected Framing framing() {
    return Framing.JSON_SEQ;
  }
}
