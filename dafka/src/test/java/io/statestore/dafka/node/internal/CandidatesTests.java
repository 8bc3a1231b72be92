package io.statestore.dafka.node.internal;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Order in which a node connects to announced nodes. */
@Timeout(60)
class CandidatesTests {

	private static final long TIMEOUT = 1_000;

	private final ConnectingSlots slots = new ConnectingSlots();

	private Candidates candidates = new Candidates(TIMEOUT);

	private long now;

	@Test
	void nodesHeardTwiceComeFirst() {
		for (int i = 0; i < 3; i++) {
			add("node" + i, "10.0.0." + i + ":1");
		}
		add("node2", "10.0.0.2:1");
		assertThat(next()).isEqualTo("10.0.0.2:1");
		assertThat(next()).isEqualTo("10.0.0.0:1");
		assertThat(next()).isEqualTo("10.0.0.1:1");
		assertThat(next()).isNull();
		assertThat(this.candidates.isEmpty()).isTrue();
	}

	@Test
	void hostsTakeTurns() {
		for (int port = 1; port <= 3; port++) {
			add("one" + port, "10.0.0.1:" + port);
		}
		add("two", "10.0.0.2:1");
		assertThat(next()).isEqualTo("10.0.0.1:1");
		assertThat(next()).isEqualTo("10.0.0.2:1");
		assertThat(next()).isEqualTo("10.0.0.1:2");
		assertThat(next()).isEqualTo("10.0.0.1:3");
	}

	@Test
	void hostWithManySlotsWaits() {
		for (int port = 1; port <= 20; port++) {
			this.slots.add("10.0.0.1:" + port, "10.0.0.1");
		}
		add("one", "10.0.0.1:21");
		assertThat(next()).isNull();
		add("two", "10.0.0.2:1");
		assertThat(next()).isEqualTo("10.0.0.2:1");
		this.slots.removeIf((endpoint) -> true);
		assertThat(next()).isEqualTo("10.0.0.1:21");
	}

	@Test
	void fullQueueDropsNewestOfFullestHost() {
		for (int port = 1; port <= 5_000; port++) {
			add("one" + port, "10.0.0.1:" + port);
		}
		add("two", "10.0.0.2:1");
		add("late", "10.0.0.1:5001");
		assertThat(next()).isEqualTo("10.0.0.1:1");
		assertThat(next()).isEqualTo("10.0.0.2:1");
		String last = null;
		int count = 2;
		for (String next = next(); next != null; next = next()) {
			last = next;
			count++;
		}
		assertThat(count).isEqualTo(5_000);
		assertThat(last).isEqualTo("10.0.0.1:4999");
	}

	@Test
	void forgetsNodesNotHeardForTimeout() {
		add("old", "10.0.0.1:1");
		this.now = 1;
		add("new", "10.0.0.2:1");
		this.now = TIMEOUT + 1;
		assertThat(next()).isEqualTo("10.0.0.2:1");
		assertThat(this.candidates.isEmpty()).isTrue();
	}

	@Test
	void limitsNumberOfCandidates() {
		for (int i = 0; i < 20_000; i++) {
			add("node" + i, "10." + i / 250 + ".0." + i % 250 + ":1");
		}
		int count = 0;
		while (next() != null) {
			count++;
		}
		assertThat(count).isEqualTo(5_000);
	}

	@ParameterizedTest
	@EnumSource
	void findsNodeDuringFlood(Flood flood) {
		assertThat(secondsToFindNode(flood)).isLessThan(5);
	}

	/** Floods of 15,000 beacons per second for invented nodes. */
	enum Flood {

		/** Each beacon is for another node. */
		NEW_NODES_OF_ONE_HOST {
			@Override
			String id(int i) {
				return "flood" + i;
			}
		},

		/** Beacons are repeated, for as many nodes as there may be candidates. */
		REPEATED_NODES_OF_ONE_HOST {
			@Override
			String id(int i) {
				return "flood" + i % 5_000;
			}
		},

		/** Each beacon is for another node on another host. */
		NEW_NODES_OF_RANDOM_HOSTS {
			@Override
			String id(int i) {
				return "flood" + i;
			}

			@Override
			String endpoint(int i) {
				return "10." + i / 40_000 % 250 + '.' + i / 200 % 200 + '.' + i % 200 + ":1";
			}
		};

		abstract String id(int i);

		String endpoint(int i) {
			return "127.0.0.2:" + (1 + id(i).hashCode() % 30_000 + 30_000);
		}

	}

	/**
	 * Returns the time until a node is found that sends one beacon per second. Connecting
	 * to nodes in the flood fails after ten seconds.
	 */
	private int secondsToFindNode(Flood flood) {
		this.candidates = new Candidates(TimeUnit.SECONDS.toMillis(4));
		Map<String, Long> failures = new HashMap<>();
		int beacons = 0;
		for (int millis = 0; millis < 60_000; millis += 10) {
			this.now = millis;
			for (int i = 0; i < 150; i++, beacons++) {
				add(flood.id(beacons), flood.endpoint(beacons));
			}
			// The flood has started when the node appears.
			if (millis >= 20_000 && millis % 1_000 == 0) {
				add("node", "127.0.0.1:1");
			}
			this.slots.removeIf((endpoint) -> failures.getOrDefault(endpoint, Long.MAX_VALUE) <= this.now);
			Candidate next = this.candidates.next(this.now, this.slots);
			if (next != null) {
				if (next.id().equals(Bytes.of("node"))) {
					return millis / 1_000 - 20;
				}
				this.slots.add(next.endpoint(), next.host());
				failures.put(next.endpoint(), this.now + 10_000);
			}
		}
		return Integer.MAX_VALUE;
	}

	private void add(String id, String endpoint) {
		this.candidates.add(Candidate.of(Bytes.of(id), "tcp://" + endpoint, this.now), this.now);
	}

	private @Nullable String next() {
		Candidate next = this.candidates.next(this.now, this.slots);
		return (next != null) ? next.endpoint().substring("tcp://".length()) : null;
	}

}
