package io.statestore.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.statestore.test.TestRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests kills, partitions, leadership transfers, and snapshots while entries are
 * proposed.
 */
class FaultTests {

	@TempDir
	private Path directory;

	@Test
	void losesNoAcknowledgedEntry() throws Exception {
		run(8);
	}

	@Test
	@Tag("long")
	@Tag("nightly")
	void losesNoAcknowledgedEntryInManyFaults() throws Exception {
		run(60);
	}

	private void run(int faults) throws Exception {
		Random random = TestRandom.create(FaultTests.class);
		try (TestCluster cluster = new TestCluster(this.directory, 3)) {
			cluster.setElectionTimeout(Duration.ofSeconds(1));
			cluster.startAll();
			Load load = new Load(cluster);
			for (int i = 0; i < faults; i++) {
				load.awaitProgress();
				Member member = random.nextBoolean() ? cluster.leader()
						: cluster.members().get(random.nextInt(cluster.members().size()));
				switch (random.nextInt(5)) {
					case 0 -> {
						cluster.isolate(member);
						load.awaitProgress();
						cluster.heal();
					}
					case 1 -> cluster.node(member).snapshot().handle((done, failure) -> null).get(20, TimeUnit.SECONDS);
					case 2 -> transferLeadership(cluster);
					default -> {
						cluster.kill(member);
						load.awaitProgress();
						cluster.start(member, cluster.members());
					}
				}
			}
			load.stop();
			cluster.commit("last");
			assertNothingLost(load, cluster);
		}
	}

	private static void transferLeadership(TestCluster cluster) {
		Member next = cluster.follower();
		try {
			cluster.node(cluster.leader()).transferLeadership(next);
		}
		catch (IllegalStateException ex) {
			// Leadership is already moving.
		}
	}

	private static void assertNothingLost(Load load, TestCluster cluster) {
		Member leader = cluster.leader();
		int size = cluster.machine(leader).texts().size();
		List<String> texts = cluster.awaitEqual(size);
		assertThat(texts.get(size - 1)).isEqualTo("last");
		assertThat(new HashSet<>(texts)).hasSameSizeAs(texts).containsAll(load.acknowledged);
		assertThat(load.proposed).containsAll(texts.subList(0, size - 1));
		assertThat(load.refused).doesNotContainAnyElementsOf(texts);
	}

	/** Proposes entries until stopped. */
	private static final class Load {

		private final TestCluster cluster;

		private final Set<String> proposed = ConcurrentHashMap.newKeySet();

		private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();

		private final Set<String> refused = ConcurrentHashMap.newKeySet();

		private final AtomicBoolean stopped = new AtomicBoolean();

		private final CompletableFuture<Void> worker;

		Load(TestCluster cluster) {
			this.cluster = cluster;
			this.worker = CompletableFuture.runAsync(this::run);
		}

		private void run() {
			for (int number = 0; !this.stopped.get();) {
				List<CompletableFuture<Void>> inFlight = new ArrayList<>();
				RaftNode leader = this.cluster.running().stream().filter(RaftNode::isLeading).findAny().orElse(null);
				while (leader != null && inFlight.size() < 32) {
					inFlight.add(propose(leader, "text " + number++));
				}
				CompletableFuture.allOf(inFlight.toArray(CompletableFuture[]::new)).join();
				LockSupport.parkNanos(1_000_000);
			}
		}

		private CompletableFuture<Void> propose(RaftNode node, String text) {
			this.proposed.add(text);
			return node.propose(TestCluster.bytes(text)).handle((index, failure) -> {
				if (failure == null) {
					this.acknowledged.add(text);
				}
				else if (!(failure instanceof OutcomeUnknownException)) {
					this.refused.add(text);
				}
				return null;
			});
		}

		/** Waits until more entries are acknowledged. */
		void awaitProgress() {
			int size = this.acknowledged.size();
			TestCluster.await().until(() -> this.acknowledged.size() > size + 20);
		}

		void stop() throws Exception {
			this.stopped.set(true);
			this.worker.get(60, TimeUnit.SECONDS);
		}

	}

}
