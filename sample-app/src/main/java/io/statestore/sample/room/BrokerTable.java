package io.statestore.sample.room;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.statestore.protocol.ClusterNodeState;
import io.statestore.sample.room.BrokerState.Role;
import org.jspecify.annotations.Nullable;

/** The brokers that run as processes of this control room. Not thread-safe. */
final class BrokerTable {

	private final Map<String, BrokerState> brokers = new TreeMap<>();

	/** The latest leader, with its term. */
	private @Nullable BrokerState leader;

	/** Stores whether the process of a broker runs. */
	void process(String broker, boolean running) {
		BrokerState before = this.brokers.get(broker);
		this.brokers.put(broker,
				new BrokerState(broker, running ? Role.WAITING : Role.STOPPED, (before != null) ? before.term() : 0));
	}

	/**
	 * Stores the roles of the brokers that run. An answer may be older than the end of a
	 * process.
	 * @param nodes answer of the leader, empty if there is none
	 * @return the sentence about a new leader, {@code null} if there is none
	 */
	@Nullable String status(List<ClusterNodeState> nodes) {
		BrokerState before = this.leader;
		for (BrokerState broker : brokers()) {
			if (!broker.stopped()) {
				BrokerState now = nodes.stream()
					.filter((node) -> broker.name().equals(node.name()))
					.findFirst()
					.map((node) -> state(broker, node))
					.orElse(new BrokerState(broker.name(), Role.WAITING, broker.term()));
				this.brokers.put(broker.name(), now);
				this.leader = (now.role() == Role.LEADER) ? now : this.leader;
			}
		}
		BrokerState now = this.leader;
		return (now == null || now.equals(before)) ? null
				: now.name() + " leads the brokers in term " + now.term() + '.';
	}

	private static BrokerState state(BrokerState before, ClusterNodeState node) {
		return switch (node.role()) {
			case LEADER -> new BrokerState(before.name(), Role.LEADER, node.term());
			case FOLLOWER -> new BrokerState(before.name(), Role.FOLLOWER, node.term());
			case CANDIDATE, LEARNER, NO_MEMBER, FAILED, UNREACHABLE ->
				new BrokerState(before.name(), Role.WAITING, before.term());
		};
	}

	List<BrokerState> brokers() {
		return List.copyOf(this.brokers.values());
	}

}
