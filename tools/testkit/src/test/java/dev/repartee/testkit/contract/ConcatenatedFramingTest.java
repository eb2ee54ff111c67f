package dev.repartee.testkit.contract;

import dev.repartee.framing.Framing;

class ConcatenatedFramingTest extends FramingContract {
  @Override
  protected Framing framing() {
    return Framing.CONCATENATED;
  }
}
