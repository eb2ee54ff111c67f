package dev.repartee.a2a.server;

import dev.repartee.Options;
import dev.repartee.a2a.push.PushNotifications;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.transport.http.HttpRequest;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a server.
 *
 * @param card the agent card
 * @param agent the agent
 * @param extendedCard the card for authenticated clients, or null
 * @param url the public address; null for the address of each request
 * @param clients returns the name of the client of a request; null without authentication
 * @param store the tasks
 * @param push the settings of push notifications, or null
 * @param cardAge the time for which clients may cache the card
 * @param options the options of all calls
 */
record Settings(
    AgentCard card,
    Agent agent,
    @Nullable AgentCard extendedCard,
    @Nullable String url,
    @Nullable Function<HttpRequest, @Nullable String> clients,
    TaskStore store,
    @Nullable PushNotifications push,
    Duration cardAge,
    Options options) {}
