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
		do {
			for (Node node : due(wheel, now, limit)) {
				assertThat(expected.remove(node)).isNotNull().isLessThanOrEqualTo(now);
				wheel.cancel(node);
			}
		}
		while (wheel.nextDeadline() <= now);
		assertThat(expected.values()).allMatch((deadline) -> deadline > now);
	}

	private static List<Node> due(TimerWheel wheel, long now, int limit) {
		List<Node> due = new ArrayList<>();
		wheel.visitDue(now, limit, due::add);
		assertThat(due).hasSizeLessThanOrEqualTo(limit);
		return due;
	}

	@Test
	void reachesNextDeadlineInFewSteps() {
		this.wheel.schedule(new Node(), 1_234_567_890_123L);
		int steps = 0;
		List<Node> due = new ArrayList<>();
		while (due.isEmpty()) {
			due.addAll(due(this.wheel, this.wheel.nextDeadline(), 10));
			steps++;
		}
		assertThat(steps).isLessThanOrEqualTo(8);
	}

	@Test
	void renewalsLeaveNoStaleNodes() {
		Node node = new Node();
		List<Node> due = new ArrayList<>();
		int steps = 0;
		for (long now = 0; now < 100_000; now += 10) {
			this.wheel.schedule(node, now + 5_000);
			while (this.wheel.nextDeadline() <= now) {
				due.addAll(due(this.wheel, now, 1));
				steps++;
			}
		}
		assertThat(due).isEmpty();
		assertThat(steps).isLessThan(100);
		assertThat(due(this.wheel, 200_000, 10)).containsExactly(node);
		this.wheel.cancel(node);
		assertThat(this.wheel.nextDeadline()).isEqualTo(TimerWheel.NEVER);
	}

	@Test
	void movesDeadlineByOneMillisecond() {
		Node node = new Node();
		this.wheel.schedule(node, 10);
		this.wheel.schedule(node, 11);
		assertThat(due(this.wheel, 10, 10)).isEmpty();
		assertThat(due(this.wheel, 11, 10)).containsExactly(node);
	}

	@Test
	void pastDeadlineIsDueImmediately() {
		assertThat(due(this.wheel, 1_000, 10)).isEmpty();
		this.wheel.schedule(new Node(), 5);
		assertThat(due(this.wheel, 1_000, 10)).hasSize(1);
	}

	@Test
	void earlierTimeListsNodesDueByThen() {
		this.wheel.schedule(new Node(), 500);
		assertThat(due(this.wheel, 1_000, 10)).hasSize(1);
		Node node = new Node();
		this.wheel.schedule(node, 400);
		assertThat(due(this.wheel, 399, 10)).isEmpty();
		assertThat(due(this.wheel, 400, 10)).containsExactly(node);
	}

	@Test
	void listsDueNodesUntilTheyAreCanceled() {
		Node canceled = new Node();
		Node moved = new Node();
		Node kept = new Node();
		for (Node node : List.of(canceled, moved, kept)) {
			this.wheel.schedule(node, 10);
		}
		assertThat(due(this.wheel, 10, 10)).containsExactlyInAnyOrder(canceled, moved, kept);
		this.wheel.cancel(canceled);
		this.wheel.schedule(moved, 20);
		assertThat(due(this.wheel, 11, 10)).containsExactly(kept);
		assertThat(due(this.wheel, 20, 10)).containsExactlyInAnyOrder(kept, moved);
		this.wheel.cancel(kept);
		this.wheel.schedule(moved, 15);
		assertThat(due(this.wheel, 20, 10)).containsExactly(moved);
	}

}
