package dev.repartee.a2a.wire;

import dev.repartee.a2a.types.AgentCapabilities;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentCardSignature;
import dev.repartee.a2a.types.AgentExtension;
import dev.repartee.a2a.types.AgentInterface;
import dev.repartee.a2a.types.AgentProvider;
import dev.repartee.a2a.types.AgentSkill;
import dev.repartee.a2a.types.SecurityRequirement;
import dev.repartee.a2a.types.SecurityScheme;
import dev.repartee.a2a.types.SecurityScheme.OAuthFlow;
import dev.repartee.a2a.types.SecurityScheme.OAuthFlows;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes agent cards. The members of the two versions do not contradict each other, so
 * one document can be a card of both.
 */
public final class CardCodec {
  private CardCodec() {}

  // ---------------------------------------------------------------- writing

  /** Writes a card of one version. */
  public static Json write(AgentCard card, ProtocolVersion version) {
    return write(card, version == ProtocolVersion.V1_0, version == ProtocolVersion.V0_3);
  }

  /** Writes a card that clients of both versions can read. */
  public static Json writeBoth(AgentCard card) {
    return write(card, true, true);
  }

  private static Json write(AgentCard card, boolean isNew, boolean isOld) {
    AgentCapabilities can = card.capabilities();
    JsonObjectBuilder out =
        new JsonObjectBuilder().put("name", card.name()).put("description", card.description());
    if (isNew) {
      out.put(
          "supportedInterfaces",
          card.supportedInterfaces().stream().map(CardCodec::newInterface).toList());
    }
    if (isOld) {
      putOldInterfaces(out, card);
    }
    AgentProvider provider = card.provider();
    out.put(
            "provider",
            provider == null
                ? null
                : new JsonObjectBuilder()
                    .put("url", provider.url())
                    .put("organization", provider.organization())
                    .build())
        .put("version", card.version())
        .put("documentationUrl", card.documentationUrl())
        .put("capabilities", capabilities(can, isNew))
        .put("supportsAuthenticatedExtendedCard", isOld && can.extendsCard() ? Json.TRUE : null);
    Map<String, Json> schemes = new LinkedHashMap<>();
    card.securitySchemes()
        .forEach((name, scheme) -> schemes.put(name, scheme(scheme, isNew, isOld)));
    out.put("securitySchemes", schemes.isEmpty() ? null : schemes);
    putRequirements(out, card.securityRequirements(), isNew, isOld);
    return out.put("defaultInputModes", card.defaultInputModes())
        .put("defaultOutputModes", card.defaultOutputModes())
        .put("skills", card.skills().stream().map(s -> skill(s, isNew, isOld)).toList())
        .putUnlessEmpty(
            "signatures", card.signatures().stream().map(CardCodec::signature).toList())
        .put("iconUrl", card.iconUrl())
        .build();
  }

  private static Json newInterface(AgentInterface at) {
    return new JsonObjectBuilder()
        .put("url", at.url())
        .put("protocolBinding", at.protocolBinding())
        .put("protocolVersion", at.protocolVersion())
        .put("tenant", at.tenant())
        .build();
  }

  /** Adds the addresses that speak version 0.3; the first of them is the address of the card. */
  private static void putOldInterfaces(JsonObjectBuilder out, AgentCard card) {
    List<AgentInterface> old = card.supportedInterfaces().stream()
        .filter(each -> ProtocolVersion.of(each.protocolVersion()) == ProtocolVersion.V0_3)
        .toList();
    if (old.isEmpty()) {
      return;
    }
    AgentInterface first = old.get(0);
    out.put("url", first.url())
        .put("preferredTransport", first.protocolBinding())
        .put("protocolVersion", "0.3.0")
        .put(
            "additionalInterfaces",
            old.stream()
                .map(each -> new JsonObjectBuilder()
                    .put("url", each.url())
                    .put("transport", each.protocolBinding())
                    .build())
                .toList());
  }

  private static Json capabilities(AgentCapabilities can, boolean isNew) {
    return new JsonObjectBuilder()
        .put("streaming", can.streaming())
        .put("pushNotifications", can.pushNotifications())
        .putUnlessEmpty(
            "extensions", can.extensions().stream().map(CardCodec::extension).toList())
        .put("extendedAgentCard", isNew ? can.extendedAgentCard() : null)
        .build();
  }

  private static Json extension(AgentExtension extension) {
    return new JsonObjectBuilder()
        .put("uri", extension.uri())
        .put("description", extension.description())
        .flag("required", extension.required())
        .put("params", extension.params())
        .build();
  }

  private static Json skill(AgentSkill skill, boolean isNew, boolean isOld) {
    JsonObjectBuilder out = new JsonObjectBuilder()
        .put("id", skill.id())
        .put("name", skill.name())
        .put("description", skill.description())
        .put("tags", skill.tags())
        .putUnlessEmpty("examples", skill.examples())
        .putUnlessEmpty("inputModes", skill.inputModes())
        .putUnlessEmpty("outputModes", skill.outputModes());
    putRequirements(out, skill.securityRequirements(), isNew, isOld);
    return out.build();
  }

  private static Json signature(AgentCardSignature signature) {
    return new JsonObjectBuilder()
        .put("protected", signature.protectedHeader())
        .put("signature", signature.signature())
        .put("header", signature.header())
        .build();
  }

  private static void putRequirements(
      JsonObjectBuilder out, List<SecurityRequirement> requirements, boolean isNew, boolean isOld) {
    if (isNew) {
      out.putUnlessEmpty(
          "securityRequirements",
          requirements.stream().map(CardCodec::newRequirement).toList());
    }
    if (isOld) {
      out.putUnlessEmpty(
          "security", requirements.stream().map(SecurityRequirement::schemes).toList());
    }
  }

  private static Json newRequirement(SecurityRequirement requirement) {
    Map<String, Json> schemes = new LinkedHashMap<>();
    requirement
        .schemes()
        .forEach((name, scopes) -> schemes.put(
            name, new JsonObjectBuilder().putUnlessEmpty("list", scopes).build()));
    return new JsonObjectBuilder().put("schemes", schemes).build();
  }

  private static Json scheme(SecurityScheme scheme, boolean isNew, boolean isOld) {
    JsonObjectBuilder out =
        isOld ? JsonObjectBuilder.of(oldScheme(scheme)) : new JsonObjectBuilder();
    if (isNew) {
      out.put(newName(scheme), newScheme(scheme));
    }
    return out.build();
  }

  private static String newName(SecurityScheme scheme) {
    if (scheme instanceof SecurityScheme.ApiKey) {
      return "apiKeySecurityScheme";
    } else if (scheme instanceof SecurityScheme.HttpAuth) {
      return "httpAuthSecurityScheme";
    } else if (scheme instanceof SecurityScheme.OAuth2) {
      return "oauth2SecurityScheme";
    } else if (scheme instanceof SecurityScheme.OpenIdConnect) {
      return "openIdConnectSecurityScheme";
    }
    return "mtlsSecurityScheme";
  }

  private static Json newScheme(SecurityScheme scheme) {
    JsonObjectBuilder out = new JsonObjectBuilder().put("description", scheme.description());
    if (scheme instanceof SecurityScheme.ApiKey key) {
      out.put("location", key.location()).put("name", key.name());
    } else {
      putCommon(out, scheme, true);
    }
    return out.build();
  }

  private static Json oldScheme(SecurityScheme scheme) {
    JsonObjectBuilder out = new JsonObjectBuilder();
    if (scheme instanceof SecurityScheme.ApiKey key) {
      out.put("type", "apiKey").put("in", key.location()).put("name", key.name());
    } else if (scheme instanceof SecurityScheme.HttpAuth) {
      out.put("type", "http");
    } else if (scheme instanceof SecurityScheme.OAuth2) {
      out.put("type", "oauth2");
    } else if (scheme instanceof SecurityScheme.OpenIdConnect) {
      out.put("type", "openIdConnect");
    } else {
      out.put("type", "mutualTLS");
    }
    putCommon(out, scheme, false);
    return out.put("description", scheme.description()).build();
  }

  private static void putCommon(JsonObjectBuilder out, SecurityScheme scheme, boolean isNew) {
    if (scheme instanceof SecurityScheme.HttpAuth http) {
      out.put("scheme", http.scheme()).put("bearerFormat", http.bearerFormat());
    } else if (scheme instanceof SecurityScheme.OAuth2 oauth) {
      out.put("flows", flows(oauth.flows(), isNew))
          .put("oauth2MetadataUrl", oauth.oauth2MetadataUrl());
    } else if (scheme instanceof SecurityScheme.OpenIdConnect open) {
      out.put("openIdConnectUrl", open.openIdConnectUrl());
    }
  }

  private static Json flows(OAuthFlows flows, boolean isNew) {
    return new JsonObjectBuilder()
        .put("authorizationCode", flow(flows.authorizationCode(), isNew))
        .put("clientCredentials", flow(flows.clientCredentials(), isNew))
        .put("implicit", flow(flows.implicit(), isNew))
        .put("password", flow(flows.password(), isNew))
        .put("deviceCode", isNew ? flow(flows.deviceCode(), true) : null)
        .build();
  }

  private static @Nullable Json flow(@Nullable OAuthFlow flow, boolean isNew) {
    if (flow == null) {
      return null;
    }
    JsonObjectBuilder out = new JsonObjectBuilder()
        .put("authorizationUrl", flow.authorizationUrl())
        .put("tokenUrl", flow.tokenUrl())
        .put("refreshUrl", flow.refreshUrl())
        .put("scopes", flow.scopes());
    if (isNew) {
      out.put("deviceAuthorizationUrl", flow.deviceAuthorizationUrl())
          .flag("pkceRequired", flow.pkceRequired());
    }
    return out.build();
  }

  // ---------------------------------------------------------------- reading

  /** Reads a card of version 1.0 or 0.3, or of both. Members that are missing are empty. */
  public static AgentCard read(Json card) {
    Members in = Members.of("card", card, false);
    AgentCapabilities can = in.required("capabilities", CardCodec::readCapabilities);
    if (in.flag("supportsAuthenticatedExtendedCard")) {
      can = new AgentCapabilities(can.streaming(), can.pushNotifications(), can.extensions(), true);
    }
    return new AgentCard(
        in.string("name"),
        in.string("description"),
        in.has("supportedInterfaces")
            ? in.list("supportedInterfaces", CardCodec::readNewInterface)
            : readOldInterfaces(in),
        in.optional("provider", p -> new AgentProvider(p.string("url"), p.string("organization"))),
        in.string("version"),
        in.given("documentationUrl"),
        can,
        in.map("securitySchemes", CardCodec::readScheme),
        readRequirements(in),
        in.strings("defaultInputModes"),
        in.strings("defaultOutputModes"),
        in.list("skills", CardCodec::readSkill),
        in.list(
            "signatures",
            s -> new AgentCardSignature(
                s.string("protected"), s.string("signature"), s.object("header"))),
        in.given("iconUrl"));
  }

  private static AgentInterface readNewInterface(Members in) {
    return new AgentInterface(
        in.string("url"),
        in.string("protocolBinding"),
        in.string("protocolVersion"),
        in.given("tenant"));
  }

  private static List<AgentInterface> readOldInterfaces(Members in) {
    String version = in.given("protocolVersion");
    String number = version == null ? "0.3" : version;
    List<AgentInterface> all = new ArrayList<>();
    String url = in.given("url");
    if (url != null) {
      String transport = in.given("preferredTransport");
      all.add(new AgentInterface(
          url, transport == null ? AgentInterface.JSON_RPC : transport, number, null));
    }
    for (AgentInterface more : in.list(
        "additionalInterfaces",
        each -> new AgentInterface(each.string("url"), each.string("transport"), number, null))) {
      if (!all.contains(more)) {
        all.add(more);
      }
    }
    return all;
  }

  private static AgentCapabilities readCapabilities(Members in) {
    return new AgentCapabilities(
        in.optionalFlag("streaming"),
        in.optionalFlag("pushNotifications"),
        in.list(
            "extensions",
            e -> new AgentExtension(
                e.string("uri"), e.given("description"), e.flag("required"), e.object("params"))),
        in.optionalFlag("extendedAgentCard"));
  }

  private static AgentSkill readSkill(Members in) {
    return new AgentSkill(
        in.string("id"),
        in.string("name"),
        in.string("description"),
        in.strings("tags"),
        in.strings("examples"),
        in.strings("inputModes"),
        in.strings("outputModes"),
        readRequirements(in));
  }

  private static List<SecurityRequirement> readRequirements(Members in) {
    if (in.has("securityRequirements")) {
      return in.list(
          "securityRequirements",
          each -> new SecurityRequirement(each.map("schemes", list -> list.strings("list"))));
    }
    return in.list("security", each -> {
      Map<String, List<String>> schemes = new LinkedHashMap<>();
      each.names().forEach(name -> schemes.put(name, each.strings(name)));
      return new SecurityRequirement(schemes);
    });
  }

  /** Returns null for a scheme of a later version. */
  private static @Nullable SecurityScheme readScheme(Members in) {
    if (in.has("apiKeySecurityScheme")) {
      return in.required("apiKeySecurityScheme", key -> readApiKey(key, "location"));
    } else if (in.has("httpAuthSecurityScheme")) {
      return in.required("httpAuthSecurityScheme", CardCodec::readHttp);
    } else if (in.has("oauth2SecurityScheme")) {
      return in.required("oauth2SecurityScheme", CardCodec::readOAuth);
    } else if (in.has("openIdConnectSecurityScheme")) {
      return in.required("openIdConnectSecurityScheme", CardCodec::readOpenId);
    } else if (in.has("mtlsSecurityScheme")) {
      return in.required(
          "mtlsSecurityScheme", m -> new SecurityScheme.MutualTls(m.given("description")));
    }
    return switch (in.string("type")) {
      case "apiKey" -> readApiKey(in, "in");
      case "http" -> readHttp(in);
      case "oauth2" -> readOAuth(in);
      case "openIdConnect" -> readOpenId(in);
      case "mutualTLS" -> new SecurityScheme.MutualTls(in.given("description"));
      default -> null;
    };
  }

  private static SecurityScheme readApiKey(Members in, String location) {
    return new SecurityScheme.ApiKey(
        in.given("description"), in.string(location), in.string("name"));
  }

  private static SecurityScheme readHttp(Members in) {
    return new SecurityScheme.HttpAuth(
        in.given("description"), in.string("scheme"), in.given("bearerFormat"));
  }

  private static SecurityScheme readOpenId(Members in) {
    return new SecurityScheme.OpenIdConnect(in.given("description"), in.string("openIdConnectUrl"));
  }

  private static SecurityScheme readOAuth(Members in) {
    OAuthFlows flows = in.required(
        "flows",
        f -> new OAuthFlows(
            f.optional("authorizationCode", CardCodec::readFlow),
            f.optional("clientCredentials", CardCodec::readFlow),
            f.optional("implicit", CardCodec::readFlow),
            f.optional("password", CardCodec::readFlow),
            f.optional("deviceCode", CardCodec::readFlow)));
    return new SecurityScheme.OAuth2(in.given("description"), flows, in.given("oauth2MetadataUrl"));
  }

  private static OAuthFlow readFlow(Members in) {
    return new OAuthFlow(
        in.given("authorizationUrl"),
        in.given("deviceAuthorizationUrl"),
        in.given("tokenUrl"),
        in.given("refreshUrl"),
        in.texts("scopes"),
        in.flag("pkceRequired"));
  }
}
