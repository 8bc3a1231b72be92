package io.statestore.boot.metrics;

import java.util.Collection;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.client.leader.StateStoreLeaderInitiator;

/** Binds a gauge for each leader role. */
record LeaderMetrics(Collection<StateStoreLeaderInitiator> initiators) implements MeterBinder {

	@Override
	public void bindTo(MeterRegistry registry) {
		for (StateStoreLeaderInitiator initiator : this.initiators) {
			Gauge.builder("statestore.leader", initiator, (self) -> self.isLeader() ? 1 : 0)
				.description("Whether this process leads: 1, or 0")
				.tag("role", initiator.role())
				.register(registry);
		}
	}

}
