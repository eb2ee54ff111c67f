package dev.repartee.testkit;

import dev.repartee.Framing;

class ConcatenatedFramingTest extends FramingContract {
  @Override
  protected Framing framing() {
    return Framing.CONCATENATED;
  }
}
