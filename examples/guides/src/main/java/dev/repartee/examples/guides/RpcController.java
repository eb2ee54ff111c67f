package dev.repartee.examples.guides;

import dev.repartee.FrameResponder;
import dev.repartee.Options;
import dev.repartee.Service;
import dev.repartee.transport.ChannelInfo;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class RpcController {
  private static final int LIMIT = 1 << 20;

  private final FrameResponder responder;

  public RpcController(Calculator calculator) {
    Options options = Options.builder()
        .limits(limits -> limits.frameBytes(LIMIT).handlerTimeout(Duration.ofSeconds(20)))
        .build();
    ChannelInfo channel = new ChannelInfo("spring", "", "message");
    responder = FrameResponder.of(Service.of(Calculator.class, calculator), options, channel);
  }

  @PostMapping(path = "/rpc", consumes = "application/json", produces = "application/json")
  public CompletionStage<ResponseEntity<byte[]>> rpc(InputStream request) throws IOException {
    byte[] body = request.readNBytes(LIMIT);
    if (body.length == LIMIT) {
      return CompletableFuture.completedFuture(ResponseEntity.status(413).build());
    }
    return responder
        .respondAsync(body)
        .thenApply(
            reply -> reply == null ? ResponseEntity.noContent().build() : ResponseEntity.ok(reply));
  }
}
