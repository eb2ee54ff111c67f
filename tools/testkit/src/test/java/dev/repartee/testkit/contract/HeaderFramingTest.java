package dev.repartee.testkit.contract;

import dev.repartee.framing.Framing;

class HeaderFramingTest extends FramingContract {
  @Override
  protected Framing framing() {
    return Framing.CONTENT_LENGTH;
  }
}
