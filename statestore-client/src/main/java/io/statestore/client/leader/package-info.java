/**
 * Leader election based on a lock of a state store, with the candidates and events of
 * Spring Integration. {@link io.statestore.client.leader.StateStoreLeaderInitiator} takes
 * part in an election. {@link io.statestore.client.leader.LeaderOnly} restricts methods
 * to the leader.
 */
@NullMarked
package io.statestore.client.leader;

import org.jspecify.annotations.NullMarked;
