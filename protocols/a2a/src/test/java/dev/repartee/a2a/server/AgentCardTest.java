package dev.repartee.a2a.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Server;
import dev.repartee.a2a.Http;
import dev.repartee.a2a.TestAgent;
import dev.repartee.a2a.types.APIKeySecurityScheme;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentProvider;
import dev.repartee.a2a.types.AuthorizationCodeOAuthFlow;
import dev.repartee.a2a.types.HTTPAuthSecurityScheme;
import dev.repartee.a2a.types.MutualTlsSecurityScheme;
import dev.repartee.a2a.types.OAuth2SecurityScheme;
import dev.repartee.a2a.types.OAuthFlows;
import dev.repartee.a2a.types.OpenIdConnectSecurityScheme;
import dev.repartee.a2a.types.SecurityRequirement;
import dev.repartee.a2a.wire.A2aJson;
import dev.repartee.a2a.wire.ProtocolVersion;
import dev.repartee.json.Json;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Section 8 of the specification. */
class AgentCardTest {
  private static final String CARD = "/.well-known/agent-card.json";

  private static Server listen(A2aServer.Builder builder) throws IOException {
    return builder.build().listen("http://127.0.0.1:0/agent");
  }

  private static Json write(AgentCard card, ProtocolVersion version) {
    return A2aJson.lenient(version).card(card);
  }

  private static AgentCard full() {
    AuthorizationCodeOAuthFlow flow = new AuthorizationCodeOAuthFlow(
            "https://id.example.com/login", "https://id.example.com/token", Map.of("read", "Reads"))
        .withPkceRequired(true);
    return TestAgent.card()
        .pushNotifications()
        .extendedAgentCard()
        .provider("Example", "https://example.com")
        .securityScheme("key", new APIKeySecurityScheme("a key", "header", "X-Key"))
        .securityScheme("http", new HTTPAuthSecurityScheme(null, "Bearer", "JWT"))
        .securityScheme(
            "oauth", new OAuth2SecurityScheme(new OAuthFlows().withAuthorizationCode(flow)))
        .securityScheme(
            "open", new OpenIdConnectSecurityScheme(null, "https://id.example.com/.well-known"))
        .securityScheme("tls", new MutualTlsSecurityScheme(null))
        .security(SecurityRequirement.of("oauth", "read"))
        .documentationUrl("https://example.com/docs")
        .iconUrl("https://example.com/icon.png")
        .build();
  }

  @Test
  void aCardOfVersion10DeclaresTheInterfacesOfTheEndpoint() throws Exception {
    try (Server server = listen(new TestAgent().server())) {
      HttpResponse<String> response =
          new Http(server).at(CARD).with("A2A-Version", "1.0").get();
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("content-type")).hasValue("application/json");
      String url = server.endpoint().toString();
      assertThat(Json.parse(response.body())).isEqualTo(Json.parse("""
          {"name":"Test","description":"Does what it is told","supportedInterfaces":[\
          {"url":"%1$s","protocolBinding":"JSONRPC","protocolVersion":"1.0"},\
          {"url":"%1$s","protocolBinding":"JSONRPC","protocolVersion":"0.3"}],\
          "version":"1.2.3","capabilities":{"streaming":true},\
          "defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],\
          "skills":[{"id":"obey","name":"Obey","description":"Does what it is told",\
          "tags":["test"]}]}""".formatted(url)));
    }
  }

  @Test
  void aCardWithoutAVersionIsValidInBoth() throws Exception {
    try (Server server = listen(new TestAgent().server().url("https://agent.example.com/a2a"))) {
      Json card = Json.parse(new Http(server).at(CARD).get().body());
      assertThat(card.get("url")).isEqualTo(Json.of("https://agent.example.com/a2a"));
      assertThat(card.get("preferredTransport")).isEqualTo(Json.of("JSONRPC"));
      assertThat(card.get("protocolVersion")).isEqualTo(Json.of("0.3.0"));
      assertThat(card.get("supportedInterfaces").elements()).hasSize(2);
    }
  }

  @Test
  void aCardCanBeCached() throws Exception {
    try (Server server = listen(new TestAgent().server())) {
      Http http = new Http(server).at(CARD);
      HttpResponse<String> first = http.get();
      assertThat(first.headers().firstValue("cache-control")).hasValue("max-age=300");
      String tag = first.headers().firstValue("etag").orElseThrow();
      HttpResponse<String> again = http.with("If-None-Match", tag).get();
      assertThat(again.statusCode()).isEqualTo(304);
      assertThat(again.body()).isEmpty();
    }
  }

  @Test
  void aCardOfEachVersionIsReadAsItWas() {
    AgentCard card = full();
    for (Json written : new Json[] {write(card, ProtocolVersion.V1_0), A2aJson.cardOfBoth(card)}) {
      assertThat(A2aJson.readCard(written)).isEqualTo(card);
    }
    AgentCard old = A2aJson.readCard(write(card, ProtocolVersion.V0_3));
    assertThat(old.capabilities().extendedAgentCard()).isTrue();
    assertThat(old.provider()).isEqualTo(new AgentProvider("https://example.com", "Example"));
    assertThat(old.securityRequirements()).isEqualTo(card.securityRequirements());
    assertThat(old.securitySchemes().keySet()).isEqualTo(card.securitySchemes().keySet());
    assertThat(old.securitySchemes().get("key"))
        .isEqualTo(card.securitySchemes().get("key"));
  }

  @Test
  void securityHasTheFormOfEachVersion() {
    Json card = write(full(), ProtocolVersion.V1_0);
    assertThat(card.get("securityRequirements"))
        .isEqualTo(Json.parse("[{\"schemes\":{\"oauth\":{\"list\":[\"read\"]}}}]"));
    assertThat(card.get("securitySchemes").get("key")).isEqualTo(Json.parse("""
        {"apiKeySecurityScheme":{"description":"a key","location":"header",\
        "name":"X-Key"}}"""));
    Json old = write(full(), ProtocolVersion.V0_3);
    assertThat(old.get("security")).isEqualTo(Json.parse("[{\"oauth\":[\"read\"]}]"));
    assertThat(old.get("securitySchemes").get("key")).isEqualTo(Json.parse("""
        {"type":"apiKey","in":"header","name":"X-Key","description":"a key"}"""));
  }

  @Test
  void anExtendedCardIsForAuthenticatedClients() throws Exception {
    AgentCard more =
        TestAgent.card().extendedAgentCard().documentationUrl("https://more").build();
    A2aServer.Builder builder = A2aServer.builder(
            TestAgent.card().extendedAgentCard().build())
        .agent(new TestAgent())
        .authentication(request -> request.header("x-client"))
        .extendedCard(more);
    try (Server server = listen(builder)) {
      Http http = new Http(server);
      assertThat(http.post("{}").statusCode()).isEqualTo(401);
      Http ann = http.with("X-Client", "ann");
      assertThat(ann.result("GetExtendedAgentCard", "{}").get("documentationUrl"))
          .isEqualTo(Json.of("https://more"));
      Json old = ann.result("agent/getAuthenticatedExtendedCard", "{}");
      assertThat(old.get("supportsAuthenticatedExtendedCard")).isEqualTo(Json.TRUE);
    }
  }

  @Test
  void anExtendedCardWithoutAuthenticationIsRefused() {
    AgentCard card = TestAgent.card().extendedAgentCard().build();
    A2aServer.Builder builder = A2aServer.builder(card).agent(new TestAgent()).extendedCard(card);
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("authentication()");
  }

  @Test
  void aDeclaredButMissingExtendedCardHasADedicatedError() throws Exception {
    A2aServer.Builder builder =
        A2aServer.builder(TestAgent.card().extendedAgentCard().build()).agent(new TestAgent());
    try (Server server = listen(builder)) {
      Json error = new Http(server).error("GetExtendedAgentCard", "{}");
      assertThat(error.get("code")).isEqualTo(Json.of(-32007));
    }
  }
}
