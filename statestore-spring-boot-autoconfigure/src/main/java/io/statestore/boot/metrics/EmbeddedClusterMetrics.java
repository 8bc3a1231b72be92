package io.statestore.boot.metrics;

import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.broker.StateStoreBroker;
import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterNodeState.Role;

/**
 * Binds meters for the embedded broker as a node of a cluster. Binds none if it is no
 * such node. Each node reports its own state, so that the lag of a follower is the
 * difference to the leader's meter.
 */
class EmbeddedClusterMetrics implements MeterBinder {

	private static final String PREFIX = "statestore.cluster.";

	private final StateStoreBroker broker;

	EmbeddedClusterMetrics(StateStoreBroker broker) {
		this.broker = broker;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		if (this.broker.clusterState().isEmpty()) {
			return;
		}
		Gauge.builder(PREFIX + "ready", this.broker, (broker) -> broker.isReady() ? 1 : 0)
			.description("Whether the node leads, or forwards clients to the leader: 1, or 0")
			.register(registry);
		gauge(registry, "leading", "Whether the node leads: 1, or 0", (node) -> (node.role() == Role.LEADER) ? 1 : 0);
		gauge(registry, "failed", "Whether the node does not take part because of an error: 1, or 0",
				(node) -> (node.role() == Role.FAILED) ? 1 : 0);
		gauge(registry, "term", "The number of the latest term of leadership", ClusterNodeState::term);
		gauge(registry, "entries.stored", "The index of the last entry that the node has stored",
				ClusterNodeState::lastIndex);
		gauge(registry, "entries.applied", "The index of the last entry that the node has applied",
				ClusterNodeState::appliedIndex);
		gauge(registry, "entries.snapshot", "The index of the last entry in the latest snapshot of the node",
				ClusterNodeState::snapshotIndex);
		gauge(registry, "writable", "Whether the node stores entries: 1, or 0 while its disk is full",
				(node) -> node.diskFull() ? 0 : 1);
	}

	private void gauge(MeterRegistry registry, String name, String description,
			ToDoubleFunction<ClusterNodeState> value) {
		Gauge
			.builder(PREFIX + name, this.broker,
					(broker) -> broker.clusterState().map(value::applyAsDouble).orElse(Double.NaN))
			.description(description)
			.register(registry);
	}

}
