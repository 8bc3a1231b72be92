package io.statestore.cluster;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.statestore.cluster.TestCluster.await;
import static org.assertj.core.api.Assertions.assertThat;

class NodeSupervisorTests {

	private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(2);

	private final List<Throwable> failures = new CopyOnWriteArrayList<>();

	private final Queue<NodeSupervisor.Starter<TestNode>> starts = new ArrayDeque<>();

	private final NodeSupervisor<TestNode> supervisor = new NodeSupervisor<>(new Member("127.0.0.1", 1),
			() -> this.starts.remove().start(), this.failures::add, this.executor, 10);

	@AfterEach
	void stop() {
		this.executor.shutdownNow();
	}

	@Test
	void retriesAfterAnyError() throws IOException {
		TestNode broken = new TestNode(true);
		TestNode next = new TestNode(false);
		this.starts.add(() -> broken);
		// The first attempt fails, because the old node cannot be closed.
		this.starts.add(() -> {
			throw new OutOfMemoryError("unable to create native thread");
		});
		this.starts.add(() -> next);
		this.supervisor.start();
		this.supervisor.restart(new IOException("disk"));
		await().until(() -> this.supervisor.failure() == null);
		assertThat(this.supervisor.current()).isSameAs(next);
		assertThat(this.failures).isEmpty();
	}

	@Test
	void nodeThatEndsDuringFirstStartIsReplaced() throws IOException {
		TestNode next = new TestNode(false);
		this.starts.add(() -> {
			this.supervisor.restart(new IOException("disk"));
			return new TestNode(false);
		});
		this.starts.add(() -> next);
		this.supervisor.start();
		await().until(() -> this.supervisor.current() == next && this.supervisor.failure() == null);
	}

	@Test
	void failedNodeEndsAndIsNotReplaced() throws IOException {
		TestNode node = new TestNode(false);
		Error error = new OutOfMemoryError("test");
		this.starts.add(() -> node);
		this.supervisor.start();
		this.supervisor.fail(error);
		this.supervisor.fail(new IOException("later"));
		this.supervisor.restart(new IOException("later"));
		assertThat(node.failures).contains(error);
		assertThat(this.failures).containsExactly(error);
		assertThat(this.supervisor.failure()).isSameAs(error);
		assertThat(this.executor.shutdownNow()).isEmpty();
	}

	/** A node that may fail to close once. */
	private static final class TestNode implements NodeSupervisor.Supervised {

		private final List<Throwable> failures = new CopyOnWriteArrayList<>();

		private boolean broken;

		TestNode(boolean broken) {
			this.broken = broken;
		}

		@Override
		public void fail(Throwable cause) {
			this.failures.add(cause);
		}

		@Override
		public void close() {
			if (this.broken) {
				this.broken = false;
				throw new IllegalStateException("The disk is broken");
			}
		}

	}

}
