package dev.repartee.build.snippets;

import dev.repartee.Call;
import dev.repartee.Rpc;
import dev.repartee.dap.DapClient;
import dev.repartee.dap.DapErrors;
import dev.repartee.dap.DapSession;
import dev.repartee.dap.Progress;
import dev.repartee.dap.handlers.StoppedHandler;
import dev.repartee.dap.types.*;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The code of protocols/dap/README.md, besides {@link CountdownAdapter}. */
final class DapTour {
  private DapTour() {}

  static final class Editor implements StoppedHandler {
    final BlockingQueue<StoppedEvent> stops = new LinkedBlockingQueue<>();

    @Override
    public void stopped(StoppedEvent event) {
      stops.add(event);
    }
  }

  static String countAfterOneStep(String adapter, Editor editor) throws Exception {
    try (DapClient client = DapClient.connect(adapter, editor)) {
      client.initialize(new InitializeRequestArguments("countdown"));
      client.launch(Configuration.of(Map.of("from", 3)), configured -> {
        // set breakpoints here: configured.setBreakpoints(...)
      });
      StoppedEvent stop = editor.stops.take();
      client.adapter().next(new NextArguments(stop.threadId()));
      editor.stops.take();
      return client.adapter().evaluate(new EvaluateArguments("count")).result();
    }
  }

  static RuntimeException noSuchFile(String path) {
    return DapErrors.error(
        new Message(404, "there is no file {path}").withVariables(Map.of("path", path)));
  }

  static final class Waiting {
    @Rpc(value = "evaluate", paramsObject = true)
    public EvaluateResponse evaluate(EvaluateArguments arguments, Call call) throws Exception {
      call.cancellation().sleep(Duration.ofMinutes(1));
      return new EvaluateResponse("done", 0);
    }
  }

  static void readSymbols(DapSession session, List<String> files) {
    try (Progress progress = session.progress("Reading symbols")) {
      for (int i = 0; i < files.size() && !progress.isCancelled(); i++) {
        progress.update(files.get(i), 100.0 * i / files.size());
      }
    }
  }
}
