/**
 * Binds with Jackson 3 every type that {@code dev.repartee} does not bind itself: enums, dates,
 * beans, sealed and generic types, and maps with other keys than strings.
 *
 * <p>There is nothing to call. With this module on the class path or module path, services and
 * proxies may use such types, alone or inside the lists and records that core binds:
 *
 * <pre>{@code
 * enum Size { SMALL, LARGE }
 *
 * record Order(Size size, LocalDate due) {}
 *
 * class Shop {
 *   public Instant accept(Order order, Duration patience) { ... }
 * }
 * }</pre>
 *
 * <p>Types declare their polymorphism with {@code @JsonTypeInfo} and names; a peer never names a
 * class. Reading and writing are as strict as in core, see {@link
 * dev.repartee.jackson.JacksonBinder}, which also explains how to use another {@code JsonMapper}.
 *
 * <p>Do not use this module if {@code dev.repartee.json.Json}, scalars, lists and plain records are
 * enough. The first type that needs Jackson adds about 0.2 s to the start-up.
 */
@NullMarked
package dev.repartee.jackson;

import org.jspecify.annotations.NullMarked;
