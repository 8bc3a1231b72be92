package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.statestore.client.mqtt.BrokerAddress;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HostRotationTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static HostRotation rotation(int hosts, long seed) {
		return new HostRotation(hosts(hosts), new Random(seed));
	}

	private static List<BrokerAddress> hosts(int count) {
		return IntStream.range(0, count).mapToObj((i) -> new BrokerAddress("host-" + i, 1883)).toList();
	}

	private static List<BrokerAddress> round(HostRotation rotation) {
		List<BrokerAddress> round = new ArrayList<>();
		do {
			round.add(rotation.next());
		}
		while (rotation.failed(true));
		return round;
	}

	@Test
	void beginsWithAnyHost() {
		Map<BrokerAddress, Long> first = IntStream.range(0, 600)
			.mapToObj((seed) -> rotation(3, seed).next())
			.collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
		assertThat(first).hasSize(3).allSatisfy((host, count) -> assertThat(count).isBetween(120L, 280L));
	}

	@Test
	void spreadsAfterLossOfSameHost() {
		BrokerAddress lost = hosts(3).get(0);
		Map<BrokerAddress, Long> next = IntStream.range(0, 600).mapToObj((seed) -> {
			HostRotation rotation = rotation(3, seed);
			while (!rotation.next().equals(lost)) {
				rotation.failed(true);
			}
			rotation.connected();
			rotation.lost(true);
			return rotation.next();
		}).collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
		assertThat(next).hasSize(2).allSatisfy((host, count) -> assertThat(count).isBetween(200L, 400L));
	}

	@Property(tries = 300)
	void triesEachHostOncePerRound(@ForAll @IntRange(min = 1, max = 6) int count, @ForAll long seed,
			@ForAll @Size(max = 60) List<@IntRange(max = 5) Integer> events) {
		HostRotation rotation = rotation(count, seed);
		Set<BrokerAddress> failed = new HashSet<>();
		for (int event : events) {
			BrokerAddress host = rotation.next();
			assertThat(failed).doesNotContain(host);
			boolean more;
			if (event <= 2) {
				more = rotation.failed(event > 0);
			}
			else {
				rotation.connected();
				if (event == 5) {
					failed.clear();
				}
				more = rotation.lost(event == 5);
				rotation.prefer("host-" + (event % count));
			}
			failed.add(host);
			assertThat(more).isEqualTo(failed.size() < count);
			if (!more) {
				failed.clear();
			}
		}
	}

	@Test
	void triesLostHostLastAndConnectedOneFirst() {
		HostRotation rotation = rotation(3, 1);
		BrokerAddress first = rotation.next();
		rotation.connected();
		assertThat(rotation.lost(true)).isTrue();
		BrokerAddress second = rotation.next();
		assertThat(second).isNotEqualTo(first);
		rotation.connected();
		rotation.ended();
		assertThat(rotation.next()).isEqualTo(second);
		assertThat(round(rotation)).hasSize(3).startsWith(second).endsWith(first);
	}

	@Test
	void continuesRoundAfterShortConnection() {
		HostRotation rotation = rotation(2, 1);
		for (int round = 0; round < 3; round++) {
			rotation.next();
			rotation.connected();
			assertThat(rotation.lost(false)).isTrue();
			rotation.next();
			rotation.connected();
			assertThat(rotation.lost(false)).isFalse();
		}
	}

	@Test
	void triesHostWithoutAnswerLast() {
		HostRotation rotation = rotation(3, 1);
		BrokerAddress silent = rotation.next();
		assertThat(rotation.failed(false)).isTrue();
		rotation.next();
		rotation.failed(true);
		rotation.next();
		assertThat(rotation.failed(true)).isFalse();
		assertThat(round(rotation)).endsWith(silent);
	}

	@Test
	void doublesTimeoutWithoutAnswer() {
		HostRotation rotation = rotation(2, 1);
		BrokerAddress silent = rotation.next();
		List<Duration> timeouts = new ArrayList<>();
		for (int round = 0; round < 5; round++) {
			while (!rotation.next().equals(silent)) {
				assertThat(rotation.timeout(TIMEOUT)).isEqualTo(HostRotation.FIRST_TIMEOUT);
				rotation.failed(true);
			}
			timeouts.add(rotation.timeout(TIMEOUT));
			rotation.failed(false);
		}
		assertThat(timeouts).containsExactly(Duration.ofSeconds(2), Duration.ofSeconds(4), Duration.ofSeconds(8),
				TIMEOUT, TIMEOUT);
		while (!rotation.next().equals(silent)) {
			rotation.failed(true);
		}
		rotation.connected();
		assertThat(rotation.timeout(TIMEOUT)).isEqualTo(HostRotation.FIRST_TIMEOUT);
	}

	@Test
	void givesSingleHostWholeTimeout() {
		HostRotation rotation = rotation(1, 1);
		assertThat(rotation.next()).isEqualTo(hosts(1).get(0));
		assertThat(rotation.timeout(TIMEOUT)).isEqualTo(TIMEOUT);
		assertThat(rotation.failed(false)).isFalse();
		assertThat(rotation.timeout(TIMEOUT)).isEqualTo(TIMEOUT);
		assertThat(rotation.lost(true)).isFalse();
	}

	@Test
	void keepsTimeoutBelowConnectTimeout() {
		HostRotation rotation = rotation(2, 1);
		assertThat(rotation.timeout(Duration.ofMillis(100))).isEqualTo(Duration.ofMillis(100));
		for (int i = 0; i < 200; i++) {
			rotation.next();
			rotation.failed(false);
			assertThat(rotation.timeout(Duration.ofDays(1))).isPositive().isLessThanOrEqualTo(Duration.ofDays(1));
		}
	}

	@Test
	void prefersReferencedHost() {
		for (String reference : List.of("host-2", "HOST-2:1883", "elsewhere:1883 host-2:1883", "  host-2 ")) {
			HostRotation rotation = rotation(3, 1);
			assertThat(rotation.prefer(reference)).as(reference).isTrue();
			assertThat(rotation.next()).as(reference).isEqualTo(hosts(3).get(2));
		}
	}

	@Test
	void ignoresReferenceToOtherServers() {
		HostRotation rotation = rotation(3, 1);
		BrokerAddress first = rotation.next();
		for (String reference : List.of("", " ", "host-2:1884", "host-22", "host", "mqtt://host-2:1883", "host-2:",
				"host-2,host-1", "host-2\u0000", " ".repeat(65_000))) {
			assertThat(rotation.prefer(reference)).as(reference).isFalse();
			assertThat(rotation.next()).isEqualTo(first);
		}
	}

	@Test
	void prefersReferencedIpv6Address() {
		List<BrokerAddress> hosts = List.of(new BrokerAddress("a", 1883), new BrokerAddress("fd00::2", 1884));
		for (String reference : List.of("[fd00::2]", "[FD00::2]:1884")) {
			HostRotation rotation = new HostRotation(hosts, new Random(1));
			assertThat(rotation.prefer(reference)).isTrue();
			assertThat(rotation.next()).isEqualTo(hosts.get(1));
		}
	}

	@Test
	void doesNotFollowReferencesInCircles() {
		HostRotation rotation = rotation(3, 1);
		List<BrokerAddress> tried = new ArrayList<>();
		boolean more = true;
		while (more) {
			BrokerAddress host = rotation.next();
			tried.add(host);
			more = rotation.failed(true);
			rotation.prefer(tried.get(0).toString());
			rotation.prefer(host.toString());
		}
		assertThat(tried).hasSize(3).doesNotHaveDuplicates();
		assertThat(Collections.frequency(tried, rotation.next())).isEqualTo(1);
	}

	@Test
	void movesToLeaderAndReturnsIfItFails() {
		HostRotation rotation = rotation(3, 1);
		BrokerAddress accepting = rotation.next();
		BrokerAddress leader = other(accepting);
		assertThat(rotation.moveTo(leader.toString())).isTrue();
		assertThat(rotation.next()).isEqualTo(leader);
		assertThat(rotation.failed(false)).isTrue();
		assertThat(rotation.next()).isEqualTo(accepting);
		assertThat(rotation.moveTo(leader.toString())).isFalse();
		rotation.connected();
		assertThat(rotation.lost(true)).isTrue();
		rotation.next();
		assertThat(rotation.moveTo(leader.toString())).as("after a connection").isTrue();
	}

	private static BrokerAddress other(BrokerAddress host) {
		return hosts(3).stream().filter((other) -> !other.equals(host)).findFirst().orElseThrow();
	}

	@Test
	void doesNotMoveToHostInUseNorToOtherServers() {
		HostRotation rotation = rotation(3, 1);
		BrokerAddress accepting = rotation.next();
		for (String name : List.of(accepting.toString(), accepting.host(), "elsewhere:1883", "", " ")) {
			assertThat(rotation.moveTo(name)).as(name).isFalse();
		}
	}

	@Test
	void timeoutOfMoveDoesNotGrow() {
		HostRotation rotation = rotation(3, 1);
		for (int i = 0; i < 5; i++) {
			rotation.next();
			BrokerAddress leader = other(rotation.current());
			assertThat(rotation.moveTo(leader.toString())).isTrue();
			rotation.next();
			assertThat(rotation.timeout(TIMEOUT)).isEqualTo(HostRotation.FIRST_TIMEOUT);
			rotation.failed(false);
			rotation.next();
			rotation.connected();
			rotation.lost(true);
		}
	}

	/** A new leader does not serve clients at once. */
	@Test
	void movesToLeaderThatHasFailedBefore() {
		HostRotation rotation = rotation(3, 1);
		BrokerAddress leader = rotation.next();
		assertThat(rotation.failed(true)).isTrue();
		rotation.next();
		assertThat(rotation.moveTo(leader.toString())).isTrue();
		assertThat(rotation.next()).isEqualTo(leader);
	}

	/** Whatever hosts do and name, a round of attempts ends. */
	@Property(tries = 300)
	void roundWithMovesEnds(@ForAll @IntRange(min = 1, max = 5) int hosts,
			@ForAll @Size(min = 20, max = 60) List<@IntRange(min = 0, max = 12) Integer> events) {
		HostRotation rotation = rotation(hosts, 1);
		int attempts = 0;
		for (int event : events) {
			rotation.next();
			attempts++;
			boolean again;
			if (event < 5) {
				again = rotation.moveTo("host-" + event);
				if (!again) {
					rotation.connected();
					again = rotation.lost(false);
				}
			}
			else {
				again = rotation.failed(event < 9);
			}
			assertThat(attempts).isLessThanOrEqualTo(hosts + 2 * HostRotation.MAX_MOVES);
			attempts = again ? attempts : 0;
		}
	}

}
