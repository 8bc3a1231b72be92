package io.statestore.dafka.node.internal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.tower.Tower;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.statestore.dafka.node.internal.NodeTests.assertTalk;
import static io.statestore.dafka.node.internal.NodeTests.tower;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Nodes whose towers are configured by host name. */
@Timeout(60)
class TowerNameTests {

	private static final int SPEED = 20;

	@Test
	void nodeWorksWhileNameServiceHangs() {
		CountDownLatch released = new CountDownLatch(1);
		HostResolver hanging = (host) -> {
			awaitQuietly(released);
			return "127.0.0.1";
		};
		try (Tower named = tower();
				Tower other = tower();
				TestNode one = new TestNode(hanging, SPEED, named(named), other.address());
				TestNode two = new TestNode(other.address());
				TestNode three = new TestNode(named.address())) {
			assertTalk(one, two, "M1");
			assertTalk(two, one, "M2");
			assertThat(three.peers()).isZero();
			released.countDown();
			assertTalk(one, three, "M3");
			assertThat(one.node.failure()).isNull();
		}
	}

	@Test
	void findsTowerOnceItsNameIsResolved() {
		assertFound(null, "127.0.0.1");
	}

	@Test
	void findsTowerThatMovedToAnotherAddress() {
		assertFound("127.0.0.2", "127.0.0.1");
	}

	@Test
	void retriesAfterResolverFailure() {
		AtomicInteger calls = new AtomicInteger();
		assertFound((host) -> {
			if (calls.getAndIncrement() == 0) {
				throw new IllegalStateException("Failure of the test");
			}
			return "127.0.0.1";
		});
	}

	private static void assertFound(@Nullable String first, String second) {
		AtomicInteger calls = new AtomicInteger();
		assertFound((host) -> (calls.getAndIncrement() == 0) ? first : second);
	}

	private static void assertFound(HostResolver resolver) {
		try (Tower tower = tower();
				TestNode one = new TestNode(resolver, SPEED, named(tower));
				TestNode two = new TestNode(tower.address())) {
			assertTalk(one, two, "M1");
		}
	}

	private static TowerAddress named(Tower tower) {
		return new TowerAddress("tower.invalid", tower.address().inPort(), tower.address().outPort());
	}

	static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
