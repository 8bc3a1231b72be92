package io.statestore.broker.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.statestore.broker.engine.TimerWheel.Node;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TimerWheelTests {

	private final TimerWheel wheel = new TimerWheel();

	@Property(tries = 500)
	void everyNodeIsDueExactlyAtItsDeadline(@ForAll long seed) {
		Random random = new Random(seed);
		TimerWheel wheel = new TimerWheel();
		Map<Node, Long> expected = new HashMap<>();
		List<Node> nodes = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			nodes.add(new Node());
		}
		long now = 0;
		for (int i = 0; i < 200; i++) {
			Node node = nodes.get(random.nextInt(nodes.size()));
			switch (random.nextInt(4)) {
				case 0, 1 -> {
					long deadline = now + 1 + (random.nextLong() >>> (24 + random.nextInt(40)));
					wheel.schedule(node, deadline);
					expected.put(node, deadline);
				}
				case 2 -> {
					wheel.cancel(node);
					expected.remove(node);
				}
				default -> {
					now += random.nextLong() >>> (24 + random.nextInt(40));
					assertAdvances(wheel, now, expected, 1 + random.nextInt(20));
				}
			}
			long earliest = expected.values().stream().mapToLong(Long::longValue).min().orElse(TimerWheel.NEVER);
			assertThat(wheel.nextDeadline()).isLessThanOrEqualTo(earliest);
		}
	}

	private static void assertAdvances(TimerWheel wheel, long now, Map<Node, Long> expected, int limit) {
		List<Long> due = new ArrayList<>();
		boolean more;
		do {
			more = wheel.advance(now, limit, (node) -> {
				Long deadline = expected.remove(node);
				assertThat(deadline).isNotNull().isLessThanOrEqualTo(now);
				due.add(deadline);
			});
		}
		while (more);
		assertThat(due).isSorted();
		assertThat(expected.values()).allMatch((deadline) -> deadline > now);
	}

	@Test
	void reachesNextDeadlineInFewSteps() {
		this.wheel.schedule(new Node(), 1_234_567_890_123L);
		int steps = 0;
		List<Node> due = new ArrayList<>();
		while (due.isEmpty()) {
			this.wheel.advance(this.wheel.nextDeadline(), 10, due::add);
			steps++;
		}
		assertThat(steps).isLessThanOrEqualTo(8);
	}

	@Test
	void renewalsLeaveNoNodesBehind() {
		Node node = new Node();
		List<Node> due = new ArrayList<>();
		int steps = 0;
		for (long now = 0; now < 100_000; now += 10) {
			this.wheel.schedule(node, now + 5_000);
			while (this.wheel.nextDeadline() <= now) {
				this.wheel.advance(now, 1, due::add);
				steps++;
			}
		}
		assertThat(due).isEmpty();
		assertThat(steps).isLessThan(100);
		assertThat(this.wheel.advance(200_000, 10, due::add)).isFalse();
		assertThat(due).containsExactly(node);
		assertThat(this.wheel.nextDeadline()).isEqualTo(TimerWheel.NEVER);
	}

	@Test
	void movesDeadlineByMillisecond() {
		Node node = new Node();
		List<Node> due = new ArrayList<>();
		this.wheel.schedule(node, 10);
		this.wheel.schedule(node, 11);
		this.wheel.advance(10, 10, due::add);
		assertThat(due).isEmpty();
		this.wheel.advance(11, 10, due::add);
		assertThat(due).containsExactly(node);
	}

	@Test
	void pastDeadlineIsDueAtOnce() {
		List<Node> due = new ArrayList<>();
		this.wheel.advance(1_000, 10, due::add);
		this.wheel.schedule(new Node(), 5);
		this.wheel.advance(1_000, 10, due::add);
		assertThat(due).hasSize(1);
	}

}
