package dev.repartee.xmpp;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.broker.contract.BrokerContract;
import dev.repartee.broker.server.ProsodyServer;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The contract of brokers, with Prosody. */
@Tag("ci")
@ExtendWith(XmppContractTest.HasOneWorker.class)
class XmppContractTest extends BrokerContract {
  private static ProsodyServer prosody;

  /** Skips the test of the one promise that does not apply to XMPP. */
  static class HasOneWorker implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return context.getDisplayName().startsWith("twoWorkersShareTheCalls")
          ? ConditionEvaluationResult.disabled("an address of XMPP belongs to one process")
          : ConditionEvaluationResult.enabled("XMPP keeps this promise");
    }
  }

  @BeforeAll
  static void start() throws Exception {
    prosody = Fixture.server("c2s_stanza_size_limit = 4000000");
  }

  @AfterAll
  static void stop() throws Exception {
    if (prosody != null) {
      prosody.close();
    }
  }

  @Override
  protected String uri(String service) {
    return prosody.uri(service) + "&stanza=4000000";
  }

  @Override
  protected String one(String uri) {
    return uri;
  }

  @Override
  protected String subscriber(String service) {
    return uri(service) + "&events=all";
  }

  @Override
  protected Peer connect(String uri, Service service, Options options) throws IOException {
    return super.connect(uri.replace("xmpp:", "xmpp://ann@localhost/"), service, options);
  }
}
