package dev.repartee.mcp.oauth;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jwt.SignedJWT;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Changes of the nonce in DPoP proofs (RFC 9449 section 9). */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DpopNonceTest extends BrowsingTest {
  private static final int CALLS = 4;

  private final CountDownLatch allSent = new CountDownLatch(CALLS);
  private volatile String nonce = "n1";

  @BeforeEach
  void useDpop() {
    servers.metadata.put("dpop_signing_alg_values_supported", List.of("ES256"));
    servers.challenge = "DPoP algs=\"ES256\"";
    servers.token.put("token_type", "DPoP");
    ScriptedServers.Script mcp = servers.scripts.get("/mcp");
    servers.scripts.put("/mcp", request -> {
      String proof = request.header("DPoP");
      String sent = proof.isEmpty()
          ? nonce
          : SignedJWT.parse(proof).getJWTClaimsSet().getStringClaim("nonce");
      if (nonce.equals(sent)) {
        mcp.answer(request);
        return;
      }
      if ("n2".equals(nonce)) { // refuse all together
        allSent.countDown();
        allSent.await(60, TimeUnit.SECONDS);
      }
      request.http().getResponseHeaders().set("DPoP-Nonce", nonce);
      request.http().getResponseHeaders().set("WWW-Authenticate", "DPoP error=\"use_dpop_nonce\"");
      request.answer(401, "text/plain", "");
    });
  }

  @Test
  void callsThatAreRefusedTogetherForAnOldNonceCauseNoLogin() throws Exception {
    assertThat(servers.call(client)).isEqualTo(200);
    nonce = "n2";

    ExecutorService threads = Executors.newFixedThreadPool(CALLS);
    try {
      List<CompletableFuture<Integer>> calls = Stream.generate(
              () -> CompletableFuture.supplyAsync(this::call, threads))
          .limit(CALLS)
          .toList();

      assertThat(calls).allSatisfy(call -> assertThat(call.join()).isEqualTo(200));
    } finally {
      threads.shutdown();
    }
    assertThat(servers.logins).hasValue(1);
    assertThat(servers.heard("/token")).hasSize(1);
  }

  private int call() {
    try {
      return servers.call(client);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aServerThatAsksForANonceAndSendsNoneCausesNoFurtherLogin() throws Exception {
    assertThat(servers.call(client)).isEqualTo(200);
    nonce = "not a nonce";

    fails("asks for a nonce in the proof of DPoP", "none that can be used");
    assertThat(servers.logins).hasValue(1);
  }
}
