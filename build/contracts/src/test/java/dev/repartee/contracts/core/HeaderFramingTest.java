package dev.repartee.contracts.core;

import dev.repartee.framing.Framing;
import dev.repartee.testkit.contract.FramingContract;

class HeaderFramingTest extends FramingContract {
  @Override
  protected Framing framing() {
    return Framing.CONTENT_LENGTH;
  }
}
