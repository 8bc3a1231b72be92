/**
 * Leader election on a lock of a state store, with the candidates and events of Spring
 * Integration. {@link io.statestore.client.leader.StateStoreLeaderInitiator} takes part
 * in it, {@link io.statestore.client.leader.LeaderOnly} asks who won.
 */
@NullMarked
package io.statestore.client.leader;

import org.jspecify.annotations.NullMarked;
