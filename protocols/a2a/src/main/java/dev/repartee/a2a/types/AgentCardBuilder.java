package dev.repartee.a2a.types;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A builder of agent cards; see {@link AgentCard#builder}. Not thread-safe. */
public final class AgentCardBuilder {
  private AgentCard card;

  AgentCardBuilder(String name, String description, String version) {
    this(new AgentCard(
        name,
        description,
        List.of(),
        version,
        new AgentCapabilities(),
        List.of("text/plain"),
        List.of("text/plain"),
        List.of()));
  }

  AgentCardBuilder(AgentCard card) {
    this.card = card;
  }

  /**
   * Sets the addresses, the preferred address first. By default, the server adds its own address.
   */
  public AgentCardBuilder interfaces(AgentInterface... interfaces) {
    return set(card.withSupportedInterfaces(List.of(interfaces)));
  }

  /** Sets the organization. */
  public AgentCardBuilder provider(String organization, String url) {
    return set(card.withProvider(new AgentProvider(url, organization)));
  }

  /** Sets the address of the documentation. */
  public AgentCardBuilder documentationUrl(String url) {
    return set(card.withDocumentationUrl(url));
  }

  /** Sets the address of an icon. */
  public AgentCardBuilder iconUrl(String url) {
    return set(card.withIconUrl(url));
  }

  /** Sets all optional features. */
  public AgentCardBuilder capabilities(AgentCapabilities capabilities) {
    return set(card.withCapabilities(capabilities));
  }

  /** Declares that the agent streams events. */
  public AgentCardBuilder streaming() {
    return capabilities(card.capabilities().withStreaming(true));
  }

  /** Declares that the agent sends push notifications. */
  public AgentCardBuilder pushNotifications() {
    return capabilities(card.capabilities().withPushNotifications(true));
  }

  /** Declares that authenticated clients get a card with more details. */
  public AgentCardBuilder extendedAgentCard() {
    return capabilities(card.capabilities().withExtendedAgentCard(true));
  }

  /** Adds an extension. */
  public AgentCardBuilder extension(AgentExtension extension) {
    return capabilities(
        card.capabilities().withExtensions(added(card.capabilities().extensions(), extension)));
  }

  /** Adds a way to authenticate. */
  public AgentCardBuilder securityScheme(String name, SecurityScheme scheme) {
    Map<String, SecurityScheme> all = new LinkedHashMap<>(card.securitySchemes());
    all.put(name, scheme);
    return set(card.withSecuritySchemes(all));
  }

  /** Adds an alternative of credentials. */
  public AgentCardBuilder security(SecurityRequirement requirement) {
    return set(card.withSecurityRequirements(added(card.securityRequirements(), requirement)));
  }

  /** Sets the media types of the input of all skills. */
  public AgentCardBuilder inputModes(String... mediaTypes) {
    return set(card.withDefaultInputModes(List.of(mediaTypes)));
  }

  /** Sets the media types of the output of all skills. */
  public AgentCardBuilder outputModes(String... mediaTypes) {
    return set(card.withDefaultOutputModes(List.of(mediaTypes)));
  }

  /** Adds a skill. */
  public AgentCardBuilder skill(AgentSkill skill) {
    return set(card.withSkills(added(card.skills(), skill)));
  }

  /** Sets the signatures. */
  public AgentCardBuilder signatures(List<AgentCardSignature> signatures) {
    return set(card.withSignatures(signatures));
  }

  /** Returns the card. */
  public AgentCard build() {
    return card;
  }

  private AgentCardBuilder set(AgentCard changed) {
    card = changed;
    return this;
  }

  private static <T> List<T> added(List<T> known, T more) {
    List<T> all = new ArrayList<>(known);
    all.add(more);
    return all;
  }
}
