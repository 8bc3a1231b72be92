package io.statestore.sample.room;

import java.util.List;

import io.statestore.protocol.ClusterNodeState;
import io.statestore.sample.room.BrokerState.Role;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BrokerTableTests {

	private final BrokerTable brokers = new BrokerTable();

	@BeforeEach
	void start() {
		this.brokers.process("broker-1", true);
		this.brokers.process("broker-2", true);
	}

	@Test
	void waitsForLeader() {
		assertThat(roles()).containsExactly(Role.WAITING, Role.WAITING);
		assertThat(this.brokers.status(List.of())).isNull();
		assertThat(roles()).containsExactly(Role.WAITING, Role.WAITING);
	}

	@Test
	void reportsEachLeaderOnce() {
		List<ClusterNodeState> first = List.of(node("broker-2", ClusterNodeState.Role.LEADER, 3),
				node("broker-1", ClusterNodeState.Role.FOLLOWER, 3));
		assertThat(this.brokers.status(first)).isEqualTo("broker-2 leads the brokers in term 3.");
		assertThat(roles()).containsExactly(Role.FOLLOWER, Role.LEADER);
		assertThat(this.brokers.status(first)).isNull();
		this.brokers.status(List.of());
		assertThat(roles()).containsExactly(Role.WAITING, Role.WAITING);
		assertThat(this.brokers.status(first)).isNull();
		assertThat(this.brokers.status(List.of(node("broker-2", ClusterNodeState.Role.LEADER, 4))))
			.isEqualTo("broker-2 leads the brokers in term 4.");
	}

	@Test
	void ignoresAnswersThatAreOlderThanTheEndOfProcess() {
		List<ClusterNodeState> answer = List.of(node("broker-1", ClusterNodeState.Role.LEADER, 3),
				node("broker-2", ClusterNodeState.Role.FOLLOWER, 3));
		this.brokers.process("broker-1", false);
		assertThat(this.brokers.status(answer)).isNull();
		assertThat(roles()).containsExactly(Role.STOPPED, Role.FOLLOWER);
	}

	@Test
	void keepsTermOfBrokersThatDoNotAnswer() {
		this.brokers.status(List.of(node("broker-1", ClusterNodeState.Role.LEADER, 3),
				node("broker-2", ClusterNodeState.Role.FOLLOWER, 3)));
		this.brokers.process("broker-2", false);
		this.brokers.process("broker-2", true);
		this.brokers.status(List.of(node("broker-1", ClusterNodeState.Role.LEADER, 3),
				node("broker-2", ClusterNodeState.Role.UNREACHABLE, 0), node(null, ClusterNodeState.Role.LEARNER, 9)));
		assertThat(this.brokers.brokers()).containsExactly(new BrokerState("broker-1", Role.LEADER, 3),
				new BrokerState("broker-2", Role.WAITING, 3));
	}

	private List<Role> roles() {
		return this.brokers.brokers().stream().map(BrokerState::role).toList();
	}

	private static ClusterNodeState node(@Nullable String name, ClusterNodeState.Role role, long term) {
		return new ClusterNodeState(name, "localhost:1885", 0, role, term, null, 7, 7, 0, null, null, false, 0, null);
	}

}
