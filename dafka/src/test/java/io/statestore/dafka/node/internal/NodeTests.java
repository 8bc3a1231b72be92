package io.statestore.dafka.node.internal;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.statestore.dafka.DafkaException;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.tower.Tower;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/** Nodes that find each other through towers and exchange messages without towers. */
@Timeout(120)
class NodeTests {

	@Test
	void nodesFindEachOther() {
		try (Tower tower = tower();
				TestNode one = new TestNode(tower.address());
				TestNode two = new TestNode(tower.address())) {
			assertTalk(one, two, "M1");
			assertTalk(two, one, "M2");
		}
	}

	@Test
	void streamingContinuesWithoutTower() {
		try (Tower tower = tower();
				TestNode one = new TestNode(tower.address());
				TestNode two = new TestNode(tower.address())) {
			assertTalk(one, two, "M1");
			tower.close();
			// Fifteen times the timeout after which peers without beacons are removed.
			long end = System.nanoTime() + Duration.ofMillis(1_500).toNanos();
			for (int i = 0; System.nanoTime() < end; i++) {
				String message = "M" + i;
				one.send(message);
				await(message).until(() -> two.machine.received.contains(message));
			}
			assertThat(two.peers()).isOne();
		}
	}

	@Test
	void nodesFindEachOtherThroughAnyTower() {
		try (Tower left = tower();
				Tower right = tower();
				TestNode both = new TestNode(left.address(), right.address());
				TestNode onlyLeft = new TestNode(left.address());
				TestNode onlyRight = new TestNode(right.address())) {
			assertTalk(onlyLeft, both, "M1");
			assertTalk(both, onlyRight, "M2");
			assertThat(onlyLeft.peers()).isOne();
		}
	}

	@Test
	void secondTowerReplacesFirst() {
		try (Tower first = tower();
				Tower second = tower();
				TestNode one = new TestNode(first.address(), second.address())) {
			first.close();
			try (TestNode late = new TestNode(first.address(), second.address())) {
				assertTalk(one, late, "M1");
			}
		}
	}

	@Test
	void removesEndedPeer() {
		try (Tower tower = tower(); TestNode one = new TestNode(tower.address())) {
			try (TestNode two = new TestNode(tower.address())) {
				assertTalk(one, two, "M1");
				await("the other way round").until(() -> one.peers() == 1);
			}
			await("the peer is forgotten").until(() -> one.peers() == 0);
		}
	}

	@Test
	void receivesMessagesFromRemovedPeer() {
		List<String> messages = IntStream.range(0, 1_000).mapToObj((i) -> "M" + i).toList();
		try (Tower tower = tower(); TestNode slow = new TestNode(tower.address())) {
			try (TestNode sender = new TestNode(tower.address())) {
				assertTalk(sender, slow, "Mfirst");
				slow.machine.full = true;
				messages.forEach(sender::send);
				await("the messages are on their way").until(sender.machine::isSent);
			}
			await("the peer is forgotten").until(() -> slow.peers() == 0);
			slow.machine.full = false;
			slow.node.wake();
			await("the last message")
				.until(() -> slow.machine.received.contains("M999") || slow.node.failure() != null);
			assertThat(slow.node.failure()).isNull();
			assertThat(slow.machine.received).containsSubsequence(messages);
		}
	}

	@Test
	void closeIsIdempotentAndReleasesPort() {
		try (Tower tower = tower()) {
			TestNode node = new TestNode(tower.address());
			int port = node.node.port();
			node.close();
			node.close();
			NodeOptions options = NodeOptions.builder()
				.tower(tower.address())
				.bindHost("127.0.0.1")
				.bindPort(port)
				.build();
			try (Node<?> again = new Node<>("again", options, RecordingMachine::new)) {
				assertThat(again.port()).isEqualTo(port);
				assertThatExceptionOfType(DafkaException.class)
					.isThrownBy(() -> new Node<>("third", options, RecordingMachine::new))
					.withMessageContaining("'bindPort' " + port);
			}
		}
	}

	@Test
	void refusesInvalidOptions() {
		assertThatIllegalArgumentException().isThrownBy(() -> NodeOptions.builder().build())
			.withMessage("'towers' is empty but must be at least one tower");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> NodeOptions.builder().tower("localhost").peerTimeout(Duration.ofMillis(5)).build())
			.withMessageStartingWith("'peerTimeout' is PT0.005S but must be PT1S to");
		assertThatIllegalArgumentException().isThrownBy(() -> new TowerAddress("localhost", 0, 5557))
			.withMessageContaining("'tower inPort' is 0");
	}

	static Tower tower() {
		return Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start();
	}

	static void assertTalk(TestNode from, TestNode to, String message) {
		await("the subscription").until(() -> from.machine.subscriptions.contains("M"));
		await("the peer").until(() -> to.peers() > 0);
		await(message).until(() -> {
			from.send(message);
			return to.machine.received.contains(message);
		});
	}

}
