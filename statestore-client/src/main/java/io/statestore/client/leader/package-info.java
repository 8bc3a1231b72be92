/**
 * Leader election based on a state store lock, with Spring Integration's candidates and
 * events. {@link io.statestore.client.leader.StateStoreLeaderInitiator} takes part in an
 * election. {@link io.statestore.client.leader.LeaderOnly} restricts methods to the
 * leader.
 */
@NullMarked
package io.statestore.client.leader;

import org.jspecify.annotations.NullMarked;
