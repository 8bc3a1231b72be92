package io.statestore.boot.actuate;

import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.memory.MemoryStatistics;
import io.statestore.broker.server.DurabilityStatistics;
import io.statestore.broker.server.StateStoreStatistics;
import io.statestore.broker.server.StoreStatistics;
import io.statestore.protocol.ClusterNodeState;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Health of the embedded broker. Reports DOWN once an error, such as exhausted memory or
 * a failed disk, has stopped the broker. Reaching a limit is not a failure: the broker
 * refuses requests beyond it, and the details show the usage.
 * <p>
 * Reports {@link #DEGRADED} while its directory's disk is full. The store then refuses
 * writes but still answers reads; a restart would not help. Spring Boot maps unknown
 * statuses to HTTP 200 and does not aggregate them.
 * <p>
 * Reports OUT_OF_SERVICE for a cluster node that neither leads nor knows a leader.
 */
class EmbeddedStateStoreHealthIndicator extends AbstractHealthIndicator {

	/** Status of a broker that refuses writes but answers reads. */
	static final Status DEGRADED = new Status("DEGRADED");

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
		Optional<DurabilityStatistics> durability = this.broker.durability();
		Optional<ClusterNodeState> node = this.broker.clusterState();
		this.broker.failure()
			.ifPresentOrElse(builder::down,
					() -> builder.status(node.map(this::status)
						.or(() -> durability.map(EmbeddedStateStoreHealthIndicator::status))
						.orElse(Status.UP)));
		builder.withDetail("keys", usage(store.keys(), store.maxKeys()))
			.withDetail("size", usage(store.bytes(), store.maxBytes()))
			.withDetail("replyMemory", usage(store.replyBytes(), store.maxReplyBytes()))
			.withDetail("clientMemory", usage(clients.usedBytes(), clients.maxBytes()))
			.withDetail("refusals", statistics.refusals());
		durability.ifPresent((log) -> builder.withDetail("durability", details(log)));
		node.ifPresent((state) -> builder.withDetail("cluster", details(state)));
	}

	private Status status(ClusterNodeState node) {
		if (!this.broker.isReady()) {
			return Status.OUT_OF_SERVICE;
		}
		return node.diskFull() ? DEGRADED : Status.UP;
	}

	private static Map<String, Object> details(ClusterNodeState node) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("node", String.valueOf(node.name()));
		details.put("role", node.role().name().toLowerCase(Locale.ROOT));
		details.put("leader", (node.leader() != null) ? node.leader() : "none");
		details.put("term", node.term());
		details.put("storedEntries", node.lastIndex());
		details.put("appliedEntries", node.appliedIndex());
		details.put("snapshotEntries", node.snapshotIndex());
		details.put("writable", !node.diskFull());
		if (node.failure() != null) {
			details.put("failure", node.failure());
		}
		return details;
	}

	private static Status status(DurabilityStatistics durability) {
		return durability.writable() ? Status.UP : DEGRADED;
	}

	private static Map<String, Object> details(DurabilityStatistics durability) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("directory", durability.directory().toString());
		details.put("writable", durability.writable());
		details.put("logSize", durability.logBytes());
		details.put("entriesBehind", durability.entriesBehind());
		if (durability.snapshotAge() != null) {
			details.put("snapshotAge", durability.snapshotAge().truncatedTo(ChronoUnit.SECONDS).toString());
		}
		details.put("recoveredEntries", durability.recoveredEntries());
		details.put("recoveryDuration", durability.recoveryDuration().truncatedTo(ChronoUnit.MILLIS).toString());
		return details;
	}

	private static Map<String, Long> usage(long used, long limit) {
		Map<String, Long> usage = new LinkedHashMap<>();
		usage.put("used", used);
		usage.put("limit", limit);
		return usage;
	}

}
