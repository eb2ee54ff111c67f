/**
 * The contracts of framings and transports: abstract test classes. Extend them and name the object
 * under test.
 *
 * <p>Every framing must pass {@link dev.repartee.testkit.contract.FramingContract}, every channel
 * {@link dev.repartee.testkit.contract.ChannelContract}, every transport {@link
 * dev.repartee.testkit.contract.FaultContract} and {@link
 * dev.repartee.testkit.contract.HeaderContract}, and every server transport {@link
 * dev.repartee.testkit.contract.AttackContract}. {@link dev.repartee.testkit.contract.FrameFeed}
 * drives a framing directly.
 */
@NullMarked
package dev.repartee.testkit.contract;

import org.jspecify.annotations.NullMarked;
