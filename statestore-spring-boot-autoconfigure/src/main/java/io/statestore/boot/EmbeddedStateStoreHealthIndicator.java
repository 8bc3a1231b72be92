package io.statestore.boot;

import java.util.LinkedHashMap;
import java.util.Map;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.memory.MemoryStatistics;
import io.statestore.broker.server.StateStoreStatistics;
import io.statestore.broker.server.StoreStatistics;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Health of the embedded broker. Reports DOWN with the error after an error such as
 * exhausted memory has stopped the broker. Reaching a limit is not a failure: the broker
 * refuses requests beyond it, and the details show the usage.
 */
class EmbeddedStateStoreHealthIndicator extends AbstractHealthIndicator {

	private final StateStoreBroker broker;

	EmbeddedStateStoreHealthIndicator(StateStoreBroker broker) {
		super("State store health check failed");
		this.broker = broker;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		StateStoreStatistics statistics = this.broker.statistics();
		StoreStatistics store = statistics.store();
		MemoryStatistics clients = statistics.clientMemory();
		this.broker.failure().ifPresentOrElse(builder::down, builder::up);
		builder.withDetail("keys", usage(store.keys(), store.maxKeys()))
			.withDetail("size", usage(store.bytes(), store.maxBytes()))
			.withDetail("replyMemory", usage(store.replyBytes(), store.maxReplyBytes()))
			.withDetail("clientMemory", usage(clients.usedBytes(), clients.maxBytes()))
			.withDetail("refusals", statistics.refusals());
	}

	private static Map<String, Long> usage(long used, long limit) {
		Map<String, Long> usage = new LinkedHashMap<>();
		usage.put("used", used);
		usage.put("limit", limit);
		return usage;
	}

}
