package dev.repartee.zeromq;

import dev.repartee.Server;
import dev.repartee.broker.contract.BrokerContract;
import dev.repartee.broker.server.Ports;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The contract of brokers, without a broker. */
@ExtendWith(ZmqContractTest.HasOneService.class)
class ZmqContractTest extends BrokerContract {
  private final Map<String, Integer> ports = new HashMap<>();

  /** Skips the test of the one promise that needs a broker. */
  static class HasOneService implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return context.getDisplayName().startsWith("twoWorkersShareTheCalls")
          ? ConditionEvaluationResult.disabled(
              "only one service can listen on a port; a proxy has several, see ZmqTest")
          : ConditionEvaluationResult.enabled("ZeroMQ keeps this promise without a broker");
    }
  }

  private int port(String name) {
    return ports.computeIfAbsent(name, any -> Ports.free());
  }

  @Override
  protected String uri(String service) {
    return "zmq+tcp://127.0.0.1:" + port(service);
  }

  @Override
  protected Server serve(String uri, Object service) throws IOException {
    return super.serve(uri + "#pub=" + port(uri), service);
  }

  @Override
  protected String one(String uri) {
    return uri;
  }

  @Override
  protected String subscriber(String service) {
    return uri(service) + "#events=all&pub=" + port(uri(service));
  }
}
