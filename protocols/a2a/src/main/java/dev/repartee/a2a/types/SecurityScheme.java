package dev.repartee.a2a.types;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A way to authenticate clients (section 4.5.1). */
public sealed interface SecurityScheme {
  /** Returns a sentence for people; null for none. */
  @Nullable String description();

  /**
   * A key in a request.
   *
   * @param location {@code header}, {@code query} or {@code cookie}; in version 0.3 {@code in}
   * @param name the name of the header, the query parameter or the cookie
   */
  record ApiKey(@Nullable String description, String location, String name)
      implements SecurityScheme {}

  /**
   * A scheme of HTTP.
   *
   * @param scheme the scheme in the header {@code Authorization}, such as {@code Bearer}
   * @param bearerFormat the form of tokens; null if it is not known
   */
  record HttpAuth(
      @Nullable String description, String scheme, @Nullable String bearerFormat)
      implements SecurityScheme {}

  /**
   * OAuth 2.0.
   *
   * @param flows the flows
   * @param oauth2MetadataUrl the address of the metadata (RFC 8414); null if there is none
   */
  record OAuth2(
      @Nullable String description,
      OAuthFlows flows,
      @Nullable String oauth2MetadataUrl) implements SecurityScheme {}

  /**
   * OpenID Connect.
   *
   * @param openIdConnectUrl the address of the metadata
   */
  record OpenIdConnect(@Nullable String description, String openIdConnectUrl)
      implements SecurityScheme {}

  /** Certificates of clients. */
  record MutualTls(@Nullable String description) implements SecurityScheme {}

  /**
   * The flows of OAuth 2.0, of which version 1.0 has exactly one. The others are null.
   *
   * @param authorizationCode the flow with a login of a user
   * @param clientCredentials the flow without a user
   * @param implicit an obsolete flow
   * @param password an obsolete flow
   * @param deviceCode the flow of a device without a browser; not in version 0.3
   */
  record OAuthFlows(
      @Nullable OAuthFlow authorizationCode,
      @Nullable OAuthFlow clientCredentials,
      @Nullable OAuthFlow implicit,
      @Nullable OAuthFlow password,
      @Nullable OAuthFlow deviceCode) {
    /** Returns the flow with a login of a user. */
    public static OAuthFlows authorizationCode(OAuthFlow flow) {
      return new OAuthFlows(Objects.requireNonNull(flow), null, null, null, null);
    }

    /** Returns the flow without a user. */
    public static OAuthFlows clientCredentials(OAuthFlow flow) {
      return new OAuthFlows(null, Objects.requireNonNull(flow), null, null, null);
    }
  }

  /**
   * A flow of OAuth 2.0. Addresses that the flow does not have are null.
   *
   * @param authorizationUrl the address of the login
   * @param deviceAuthorizationUrl the address of the login of a device
   * @param tokenUrl the address for tokens
   * @param refreshUrl the address for further tokens
   * @param scopes the scopes with their descriptions
   * @param pkceRequired whether the flow needs PKCE; not in version 0.3
   */
  record OAuthFlow(
      @Nullable String authorizationUrl,
      @Nullable String deviceAuthorizationUrl,
      @Nullable String tokenUrl,
      @Nullable String refreshUrl,
      Map<String, String> scopes,
      boolean pkceRequired) {
    /** Copies the map. */
    public OAuthFlow {
      scopes = Collections.unmodifiableMap(new LinkedHashMap<>(scopes));
    }
  }
}
