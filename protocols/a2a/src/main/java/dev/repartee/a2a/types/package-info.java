/**
 * The objects of the Agent2Agent protocol (A2A) 1.0: agent cards, messages, tasks and events. The
 * names of types and components are those of {@code a2a.proto}, also for peers with version 0.3:
 * they exchange the same objects in another JSON form. Lists are never null; an absent list is
 * empty. Comments cite the specification at a2a-protocol.org by its sections.
 */
@NullMarked
package dev.repartee.a2a.types;

import org.jspecify.annotations.NullMarked;
