package dev.repartee.nats;

import dev.repartee.broker.contract.BrokerContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The contract of brokers, with a NATS server. */
@ExtendWith(NatsContractTest.HoldsNothingBack.class)
class NatsContractTest extends BrokerContract {
  private static NatsServer nats;

  /** Skips the test of the one promise that core NATS does not make. */
  static class HoldsNothingBack implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return context.getDisplayName().startsWith("twoWorkersShareTheCalls")
          ? ConditionEvaluationResult.disabled(
              "core NATS holds no message back while a worker is busy; see NatsTest")
          : ConditionEvaluationResult.enabled("core NATS keeps this promise");
    }
  }

  @BeforeAll
  static void start() throws Exception {
    nats = NatsServer.start("");
  }

  @AfterAll
  static void stop() throws Exception {
    if (nats != null) {
      nats.close();
    }
  }

  @Override
  protected String uri(String service) {
    return nats.uri(service);
  }

  @Override
  protected String one(String uri) {
    return uri;
  }

  @Override
  protected String subscriber(String service) {
    return nats.uri(service) + "#events=all";
  }
}
