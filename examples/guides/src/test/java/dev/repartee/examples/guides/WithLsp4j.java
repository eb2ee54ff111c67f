package dev.repartee.examples.guides;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.eclipse.lsp4j.jsonrpc.CompletableFutures;
import org.eclipse.lsp4j.jsonrpc.Launcher;
import org.eclipse.lsp4j.jsonrpc.ResponseErrorException;
import org.eclipse.lsp4j.jsonrpc.messages.ResponseError;
import org.eclipse.lsp4j.jsonrpc.services.JsonNotification;
import org.eclipse.lsp4j.jsonrpc.services.JsonRequest;
import org.eclipse.lsp4j.jsonrpc.services.JsonSegment;

/** The program of docs/from-lsp4j.md before the migration. */
final class WithLsp4j {
  private WithLsp4j() {}

  public record Target(String name) {}

  public record Progress(int percent) {}

  public record Built(String file) {}

  @JsonSegment("build")
  public interface BuildServer {
    @JsonRequest
    CompletableFuture<Built> compile(Target target);
  }

  @JsonSegment("build")
  public interface BuildClient {
    @JsonNotification
    void progress(Progress progress);
  }

  public static class Builder implements BuildServer {
    private BuildClient client;

    void connect(BuildClient client) {
      this.client = client;
    }

    @Override
    public CompletableFuture<Built> compile(Target target) {
      return CompletableFutures.computeAsync(cancelToken -> {
        cancelToken.checkCanceled();
        client.progress(new Progress(50));
        if (target.name().isEmpty()) {
          throw new ResponseErrorException(new ResponseError(1, "no target", null));
        }
        return new Built(target.name() + ".jar");
      });
    }
  }

  static void serve(InputStream in, OutputStream out) throws Exception {
    Builder builder = new Builder();
    Launcher<BuildClient> launcher = Launcher.createLauncher(builder, BuildClient.class, in, out);
    builder.connect(launcher.getRemoteProxy());
    launcher.startListening().get();
  }

  static String call(InputStream in, OutputStream out, BuildClient client) throws Exception {
    Launcher<BuildServer> launcher = Launcher.createLauncher(client, BuildServer.class, in, out);
    launcher.startListening();
    try {
      return launcher.getRemoteProxy().compile(new Target("app")).get().file();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ResponseErrorException refused) {
        return refused.getResponseError().getMessage();
      }
      throw e;
    }
  }
}
