package dev.repartee.examples.guides;

import dev.repartee.*;
import dev.repartee.framing.Framing;
import dev.repartee.message.Dialect;
import java.io.InputStream;
import java.io.OutputStream;

/** The program of docs/from-lsp4j.md after the migration. */
final class AfterLsp4j {
  private AfterLsp4j() {}

  public record Target(String name) {}

  public record Progress(int percent) {}

  public record Built(String file) {}

  public interface BuildServer {
    @Rpc(value = "build/compile", paramsObject = true)
    Built compile(Target target);
  }

  public static class Builder {
    @Rpc(value = "build/compile", paramsObject = true)
    public Built compile(Target target, Call call) {
      call.cancellation().throwIfCancelled();
      call.peer().request("build/progress").params(new Progress(50)).sendNotification();
      if (target.name().isEmpty()) {
        throw new RpcException(1, "no target");
      }
      return new Built(target.name() + ".jar");
    }
  }

  static final Dialect LSP = new Dialect() {
    @Override
    public String cancelMethod() {
      return "$/cancelRequest";
    }
  };

  static final Options OPTIONS = Options.builder().dialect(LSP).build();

  static Peer serve(InputStream in, OutputStream out) {
    return Repartee.over(in, out, Framing.CONTENT_LENGTH, Service.of(new Builder()), OPTIONS);
  }

  static String call(InputStream in, OutputStream out, Service client) {
    try (Peer peer = Repartee.over(in, out, Framing.CONTENT_LENGTH, client, OPTIONS)) {
      return peer.proxy(BuildServer.class).compile(new Target("app")).file();
    } catch (RpcException e) {
      return e.error().message();
    }
  }
}
