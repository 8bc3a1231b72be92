package io.statestore.boot.metrics;

import java.util.function.Function;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.broker.StateStoreBroker;
import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterNodeState.Role;

/**
 * Binds cluster meters for the embedded broker, if it is a cluster node. Each node
 * reports its own state, so a follower's lag is the difference between its meter and the
 * leader's.
 */
record EmbeddedClusterMetrics(StateStoreBroker broker) implements MeterBinder {

	private static final String PREFIX = "statestore.cluster.";

	@Override
	public void bindTo(MeterRegistry registry) {
		if (this.broker.clusterState().isEmpty()) {
			return;
		}
		new Meters<>(registry, PREFIX, Tags.empty(), this.broker, Function.identity()).gauge("ready",
				"Whether the node leads, or forwards clients to the leader: 1, or 0",
				(broker) -> broker.isReady() ? 1 : 0);
		Meters<StateStoreBroker, ClusterNodeState> node = new Meters<>(registry, PREFIX, Tags.empty(), this.broker,
				(broker) -> broker.clusterState().orElse(null));
		node.gauge("leading", "Whether the node leads: 1, or 0", (state) -> (state.role() == Role.LEADER) ? 1 : 0);
		node.gauge("failed", "Whether an error prevents the node from participating: 1, or 0",
				(state) -> (state.role() == Role.FAILED) ? 1 : 0);
		node.gauge("term", "The number of the latest leadership term", ClusterNodeState::term);
		node.gauge("entries.stored", "The index of the last entry that the node has stored",
				ClusterNodeState::lastIndex);
		node.gauge("entries.applied", "The index of the last entry that the node has applied",
				ClusterNodeState::appliedIndex);
		node.gauge("entries.snapshot", "The index of the last entry in the node's latest snapshot",
				ClusterNodeState::snapshotIndex);
		node.gauge("writable", "Whether the node stores entries: 1, or 0 while its disk is full",
				(state) -> state.diskFull() ? 0 : 1);
	}

}
