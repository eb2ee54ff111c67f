package dev.repartee.testkit;

import dev.repartee.Framing;

class HeaderFramingTest extends FramingContract {
  @Override
  protected Framing framing() {
    return Framing.CONTENT_LENGTH;
  }
}
