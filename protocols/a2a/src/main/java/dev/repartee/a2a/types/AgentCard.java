package dev.repartee.a2a.types;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The description of an agent (section 4.4.1). {@link #builder} makes one.
 *
 * @param name the name for people
 * @param description the purpose, for people and models
 * @param supportedInterfaces the addresses, the preferred one first
 * @param provider the organization; null if it is not known
 * @param version the version of the agent
 * @param documentationUrl the address of its documentation; null for none
 * @param capabilities the optional features
 * @param securitySchemes the ways to authenticate, by name
 * @param securityRequirements the alternatives of credentials; empty if none are needed
 * @param defaultInputModes the media types of the input of all skills
 * @param defaultOutputModes the media types of the output of all skills
 * @param skills the abilities
 * @param signatures the signatures of the card
 * @param iconUrl the address of an icon; null for none
 */
public record AgentCard(
    String name,
    String description,
    List<AgentInterface> supportedInterfaces,
    @Nullable AgentProvider provider,
    String version,
    @Nullable String documentationUrl,
    AgentCapabilities capabilities,
    Map<String, SecurityScheme> securitySchemes,
    List<SecurityRequirement> securityRequirements,
    List<String> defaultInputModes,
    List<String> defaultOutputModes,
    List<AgentSkill> skills,
    List<AgentCardSignature> signatures,
    @Nullable String iconUrl) {
  /** Copies lists and map. */
  public AgentCard {
    Objects.requireNonNull(name, "name");
    supportedInterfaces = List.copyOf(supportedInterfaces);
    securitySchemes = Collections.unmodifiableMap(new LinkedHashMap<>(securitySchemes));
    securityRequirements = List.copyOf(securityRequirements);
    defaultInputModes = List.copyOf(defaultInputModes);
    defaultOutputModes = List.copyOf(defaultOutputModes);
    skills = List.copyOf(skills);
    signatures = List.copyOf(signatures);
  }

  /** Returns a builder with the required texts; the media types are {@code text/plain} at first. */
  public static Builder builder(String name, String description, String version) {
    return new Builder(name, description, version);
  }

  /** Returns a builder with the content of this card. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** A builder of cards. Not thread-safe. */
  public static final class Builder {
    private final String name;
    private final String description;
    private final String version;
    private List<AgentInterface> interfaces = List.of();
    private @Nullable AgentProvider provider;
    private @Nullable String documentationUrl;
    private AgentCapabilities capabilities = AgentCapabilities.NONE;
    private final Map<String, SecurityScheme> schemes = new LinkedHashMap<>();
    private final List<SecurityRequirement> requirements = new ArrayList<>();
    private List<String> inputModes = List.of("text/plain");
    private List<String> outputModes = List.of("text/plain");
    private final List<AgentSkill> skills = new ArrayList<>();
    private List<AgentCardSignature> signatures = List.of();
    private @Nullable String iconUrl;

    private Builder(String name, String description, String version) {
      this.name = name;
      this.description = description;
      this.version = version;
    }

    private Builder(AgentCard card) {
      this(card.name, card.description, card.version);
      interfaces = card.supportedInterfaces;
      provider = card.provider;
      documentationUrl = card.documentationUrl;
      capabilities = card.capabilities;
      schemes.putAll(card.securitySchemes);
      requirements.addAll(card.securityRequirements);
      inputModes = card.defaultInputModes;
      outputModes = card.defaultOutputModes;
      skills.addAll(card.skills);
      signatures = card.signatures;
      iconUrl = card.iconUrl;
    }

    /** Sets the addresses, the preferred one first. A server adds its own if there are none. */
    public Builder interfaces(AgentInterface... interfaces) {
      this.interfaces = List.of(interfaces);
      return this;
    }

    /** Sets the organization. */
    public Builder provider(String organization, String url) {
      this.provider = new AgentProvider(url, organization);
      return this;
    }

    /** Sets the address of the documentation. */
    public Builder documentationUrl(String url) {
      this.documentationUrl = url;
      return this;
    }

    /** Sets the address of an icon. */
    public Builder iconUrl(String url) {
      this.iconUrl = url;
      return this;
    }

    /** Sets all optional features at once. */
    public Builder capabilities(AgentCapabilities capabilities) {
      this.capabilities = capabilities;
      return this;
    }

    /** Declares that the agent streams events. */
    public Builder streaming() {
      return capabilities(new AgentCapabilities(
          true,
          capabilities.pushNotifications(),
          capabilities.extensions(),
          capabilities.extendedAgentCard()));
    }

    /** Declares that the agent sends push notifications. */
    public Builder pushNotifications() {
      return capabilities(new AgentCapabilities(
          capabilities.streaming(),
          true,
          capabilities.extensions(),
          capabilities.extendedAgentCard()));
    }

    /** Declares that authenticated clients get a card with more details. */
    public Builder extendedAgentCard() {
      return capabilities(new AgentCapabilities(
          capabilities.streaming(),
          capabilities.pushNotifications(),
          capabilities.extensions(),
          true));
    }

    /** Adds an extension. */
    public Builder extension(AgentExtension extension) {
      List<AgentExtension> all = new ArrayList<>(capabilities.extensions());
      all.add(extension);
      return capabilities(new AgentCapabilities(
          capabilities.streaming(),
          capabilities.pushNotifications(),
          all,
          capabilities.extendedAgentCard()));
    }

    /** Adds a way to authenticate. */
    public Builder securityScheme(String name, SecurityScheme scheme) {
      schemes.put(name, scheme);
      return this;
    }

    /** Adds an alternative of credentials. */
    public Builder security(SecurityRequirement requirement) {
      requirements.add(requirement);
      return this;
    }

    /** Sets the media types of the input of all skills. */
    public Builder inputModes(String... mediaTypes) {
      this.inputModes = List.of(mediaTypes);
      return this;
    }

    /** Sets the media types of the output of all skills. */
    public Builder outputModes(String... mediaTypes) {
      this.outputModes = List.of(mediaTypes);
      return this;
    }

    /** Adds a skill. */
    public Builder skill(AgentSkill skill) {
      skills.add(skill);
      return this;
    }

    /** Sets the signatures. */
    public Builder signatures(List<AgentCardSignature> signatures) {
      this.signatures = signatures;
      return this;
    }

    /** Returns the card. */
    public AgentCard build() {
      return new AgentCard(
          name,
          description,
          interfaces,
          provider,
          version,
          documentationUrl,
          capabilities,
          schemes,
          requirements,
          inputModes,
          outputModes,
          skills,
          signatures,
          iconUrl);
    }
  }
}
