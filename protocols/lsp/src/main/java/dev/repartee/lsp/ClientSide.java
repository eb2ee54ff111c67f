package dev.repartee.lsp;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.RpcException;
import dev.repartee.RpcMethod;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.lsp.types.ProgressParams;
import dev.repartee.lsp.types.Registration;
import dev.repartee.lsp.types.RegistrationParams;
import dev.repartee.lsp.types.Unregistration;
import dev.repartee.lsp.types.UnregistrationParams;
import dev.repartee.lsp.types.WorkDoneProgressBegin;
import dev.repartee.lsp.types.WorkDoneProgressEnd;
import dev.repartee.lsp.types.WorkDoneProgressReport;
import dev.repartee.message.RpcError;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a server that a client handles for its application: registrations, and the
 * progress of work. The application may have handlers for the same messages; these run, too.
 */
final class ClientSide implements Layer {
  private static final int MOST_REGISTRATIONS = 10_000;

  /** The maximum number of bytes of all registrations. */
  private static final int MOST_BYTES = 16 << 20;

  private final @Nullable WorkDoneProgressListener listener;

  /** By id; guarded by itself. */
  private final Map<String, Registration> registrations = new LinkedHashMap<>();

  /** The size of all registrations; guarded by the map. */
  private long bytes;

  ClientSide(Object client) {
    this.listener = client instanceof WorkDoneProgressListener shows ? shows : null;
  }

  /** Returns the methods of the application, and those that it leaves to this object. */
  Service service(Object client) {
    Service own = Service.of(client);
    Service.Builder builder = Service.builder().all(own);
    add(builder, own, "client/registerCapability");
    add(builder, own, "client/unregisterCapability");
    if (listener != null) {
      add(builder, own, "window/workDoneProgress/create");
      add(builder, own, "$/progress");
    }
    return builder.build();
  }

  private static void add(Service.Builder builder, Service own, String name) {
    if (own.find(name) == null) {
      builder.add(RpcMethod.builder(name).handler(call -> null));
    }
  }

  @Override
  public @Nullable Object handle(Call call, Handler next) throws Exception {
    switch (call.method()) {
      case "client/registerCapability" -> {
        RegistrationParams params = read(call, RegistrationParams.class);
        return Layer.whenDone(call, next, (result, failure) -> {
          if (failure == null) {
            register(params.registrations());
          }
        });
      }
      case "client/unregisterCapability" -> {
        UnregistrationParams params = read(call, UnregistrationParams.class);
        return Layer.whenDone(call, next, (result, failure) -> {
          if (failure == null) {
            unregister(params.unregisterations());
          }
        });
      }
      case "$/progress" -> {
        if (listener != null) {
          progress(listener, read(call, ProgressParams.class));
        }
        return next.handle(call);
      }
      default -> {
        return next.handle(call);
      }
    }
  }

  private static <T> T read(Call call, Class<T> type) {
    Json params = call.params();
    if (params == null) {
      throw new RpcException(RpcError.INVALID_PARAMS, "'" + call.method() + "' needs params");
    }
    try {
      return params.as(call.types().of(type));
    } catch (JsonException e) {
      throw new RpcException(RpcError.INVALID_PARAMS, "Invalid params", e.getMessage());
    }
  }

  private void register(List<Registration> added) {
    synchronized (registrations) {
      long more = added.stream().mapToLong(ClientSide::size).sum();
      if (registrations.size() + added.size() > MOST_REGISTRATIONS || bytes + more > MOST_BYTES) {
        throw new RpcException(
            RpcError.INVALID_REQUEST,
            "more than " + MOST_REGISTRATIONS + " registrations, or " + MOST_BYTES + " bytes");
      }
      for (Registration each : added) {
        bytes += size(each) - size(registrations.put(each.id(), each));
      }
    }
  }

  private void unregister(List<Unregistration> removed) {
    synchronized (registrations) {
      for (Unregistration each : removed) {
        bytes -= size(registrations.remove(each.id()));
      }
    }
  }

  private static long size(@Nullable Registration registration) {
    if (registration == null) {
      return 0;
    }
    Json options = registration.registerOptions();
    return (long) registration.id().length()
        + registration.method().length()
        + (options == null ? 0 : options.length());
  }

  /** Returns the active registrations, in the order of their arrival. */
  List<Registration> registrations() {
    synchronized (registrations) {
      return new ArrayList<>(registrations.values());
    }
  }

  /** Passes on the progress of work; values of other kinds belong to other progress. */
  private static void progress(WorkDoneProgressListener listener, ProgressParams params) {
    String kind = params.value().string("kind");
    if (kind == null) {
      return;
    }
    try {
      switch (kind) {
        case "begin" ->
          listener.began(params.token(), params.value().as(WorkDoneProgressBegin.class));
        case "report" ->
          listener.reported(params.token(), params.value().as(WorkDoneProgressReport.class));
        case "end" -> listener.ended(params.token(), params.value().as(WorkDoneProgressEnd.class));
        default -> {
          // a kind of a later version of LSP
        }
      }
    } catch (JsonException e) {
      throw new RpcException(RpcError.INVALID_PARAMS, "Invalid params", e.getMessage());
    }
  }
}
