package dev.repartee.contracts.core;

import dev.repartee.framing.Framing;
import dev.repartee.testkit.contract.FramingContract;

class ConcatenatedFramingTest extends FramingContract {
  @Override
  protected Framing framing() {
    return Framing.CONCATENATED;
  }
}
