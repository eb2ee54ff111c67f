package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.repartee.transport.Endpoint;
import org.junit.jupiter.api.Test;

class EnvelopeTest {
  @Test
  void withoutTheModuleAnEnvelopeIsRefusedWithItsName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Endpoint.parse("tcp://127.0.0.1:7000#envelope=dap"))
        .withMessage(
            "unknown envelope 'dap'; none is installed: add the module repartee-envelopes");
  }

  @Test
  void anEndpointWithoutTheOptionHasNone() {
    assertThat(Endpoint.parse("tcp://127.0.0.1:7000#framing=lines").envelope()).isNull();
  }
}
