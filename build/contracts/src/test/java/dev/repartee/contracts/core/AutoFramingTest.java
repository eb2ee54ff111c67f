package dev.repartee.contracts.core;

import dev.repartee.framing.Framing;
import dev.repartee.testkit.contract.FramingContract;
import org.junit.jupiter.api.Nested;

class AutoFramingTest extends FramingContract {
  @Override
  protected Framing framing() {
    return Framing.AUTO;
  }

  @Nested
  class SpokenToInHeaders extends FramingContract {
    @Override
    protected Framing framing() {
      return Framing.AUTO;
    }

    @Override
    protected Framing spoken() {
      return Framing.CONTENT_LENGTH;
    }
  }

  @Nested
  class SpokenToInLengthPrefixes extends FramingContract {
    @Override
    protected Framing framing() {
      return Framing.AUTO;
    }

    @Override
    protected Framing spoken() {
      return Framing.LENGTH_PREFIX;
    }
  }

  @Nested
  class SpokenToInSequences extends FramingContract {
    @Override
    protected Framing framing() {
      return Framing.AUTO;
    }

    @Override
    protected Framing spoken() {
      return Framing.JSON_SEQ;
    }
  }
}
