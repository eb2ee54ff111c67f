package dev.repartee.contracts.core;

import dev.repartee.framing.Framing;
import dev.repartee.testkit.contract.FaultContract;
import dev.repartee.transport.Endpoint;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Framing.class)
class TcpFaultContractTest extends FaultContract {
  @Parameter
  @SuppressWarnings("NullAway.Init")
  Framing framing;

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse("tcp://127.0.0.1:0#framing=" + framing.label());
  }
}
