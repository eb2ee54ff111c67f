package dev.repartee.build.snippets;

import dev.repartee.dap.*;
import dev.repartee.dap.handlers.*;
import dev.repartee.dap.types.*;

public class CountdownAdapter
    implements DapSessionAware,
        InitializeHandler,
        LaunchHandler,
        ConfigurationDoneHandler,
        NextHandler,
        EvaluateHandler {
  record Launch(int from) {}

  private DebugClient client;
  private volatile int count;

  @Override
  public void connect(DapSession session) {
    client = session.client();
  }

  @Override
  public Capabilities initialize(InitializeRequestArguments arguments) {
    client.initialized(); // sent after the answer
    return new Capabilities().withSupportsConfigurationDoneRequest(true);
  }

  @Override
  public void launch(Configuration configuration) {
    count = configuration.as(Launch.class).from();
  }

  @Override
  public void configurationDone(ConfigurationDoneArguments arguments) {
    stopped(StoppedEventReason.ENTRY); // sent after the answers to this request and to launch
  }

  @Override
  public void next(NextArguments arguments) {
    if (--count > 0) {
      stopped(StoppedEventReason.STEP); // sent after the answer
    } else {
      client.terminated(new TerminatedEvent());
    }
  }

  private void stopped(StoppedEventReason reason) {
    client.stopped(new StoppedEvent(reason).withThreadId(1));
  }

  @Override
  public EvaluateResponse evaluate(EvaluateArguments arguments) {
    if (!arguments.expression().equals("count")) {
      throw DapErrors.error(1, "the only variable is 'count'");
    }
    return new EvaluateResponse(String.valueOf(count), 0);
  }

  public static void main(String[] args) throws Exception {
    DapServer.run(new CountdownAdapter());
  }
}
