package dev.repartee.testkit.contract;

import dev.repartee.framing.Framing;

class LengthPrefixFramingTest extends FramingContract {
  @Override
  protected Framing framing() {
    return Framing.LENGTH_PREFIX;
  }
}
