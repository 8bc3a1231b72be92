package io.statestore.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the store on three nodes with real consensus. */
class StoreClusterTests {

	private static final Bytes ONE = Bytes.of("1");

	private static final Bytes TWO = Bytes.of("2");

	@TempDir
	private static Path directory;

	private static StoreCluster cluster;

	/** Key that only the current test uses. */
	private Bytes key;

	private int earlierKeys;

	@BeforeAll
	static void start() throws Exception {
		cluster = new StoreCluster(directory);
		cluster.startAll();
	}

	@BeforeEach
	void restore(TestInfo test) throws Exception {
		cluster.restore();
		this.key = Bytes.of(test.getDisplayName());
		this.earlierKeys = (int) cluster.replica(cluster.leader()).statistics().keys();
	}

	@AfterAll
	static void stop() {
		cluster.close();
		assertThat(cluster.failures).isEmpty();
	}

	/**
	 * Waits until all nodes have the given number of keys, not counting keys of earlier
	 * tests.
	 */
	private void awaitKeys(int keys) {
		for (Member member : cluster.nodes.members()) {
			TestCluster.await().until(() -> cluster.replica(member).statistics().keys() == this.earlierKeys + keys);
		}
	}

	@Test
	void everyNodeAppliesWritesFromLeader() throws Exception {
		StoreClient client = cluster.connect("client");
		List<CompletableFuture<Reply>> replies = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			replies.add(client.send(new Command.Set(Bytes.of("k" + i), ONE)));
		}
		for (CompletableFuture<Reply> reply : replies) {
			assertThat(reply.get(20, TimeUnit.SECONDS)).isInstanceOf(Reply.Ok.class);
		}
		assertThat(client.call(new Command.Get(Bytes.of("k499")))).isEqualTo(new Reply.Value(ONE));
		awaitKeys(500);
	}

	@Test
	void nextLeaderAnswersRequestRepeatedAfterKill() throws Exception {
		Member killed = cluster.leader();
		Command acquisition = new Command.Set(this.key, ONE, Condition.IF_ABSENT, Duration.ofMinutes(1));
		Bytes correlation = StoreClient.correlation();
		cluster.connect(killed, "client").send(acquisition, correlation).get(20, TimeUnit.SECONDS);
		cluster.kill(killed);
		StoreClient client = cluster.connect("client");
		assertThat(client.send(acquisition, correlation).get(20, TimeUnit.SECONDS)).isInstanceOf(Reply.Ok.class);
		assertThat(client.call(acquisition)).isEqualTo(Reply.Count.NOT_APPLIED);
		cluster.start(killed);
		awaitKeys(1);
	}

	@Test
	void isolatedLeaderAnswersNothing() throws Exception {
		Member isolated = cluster.leader();
		StoreClient old = cluster.connect(isolated, "old");
		assertThat(old.call(new Command.Set(this.key, ONE))).isInstanceOf(Reply.Ok.class);
		cluster.nodes.isolate(isolated);
		CompletableFuture<Reply> write = old.send(new Command.Set(this.key, Bytes.of("lost")));
		CompletableFuture<Reply> read = old.send(new Command.Get(this.key));
		CompletableFuture<Reply> watch = old.send(new Command.KeyNotify(this.key));
		cluster.nodes.elect();
		StoreClient client = cluster.connect("client");
		assertThat(client.call(new Command.Set(this.key, TWO))).isInstanceOf(Reply.Ok.class);
		cluster.nodes.heal();
		TestCluster.await().until(() -> !cluster.serves(isolated));
		assertThat(client.call(new Command.Get(this.key))).isEqualTo(new Reply.Value(TWO));
		awaitKeys(1);
		assertThat(write).isNotDone();
		assertThat(read).isNotDone();
		assertThat(watch).isNotDone();
		// Otherwise, the next test would wait until requests lost in the meantime time
		// out.
		cluster.kill(isolated);
	}

	@Test
	void servesAfterLeadershipMoves() throws Exception {
		assertThat(cluster.connect("client").call(new Command.Set(this.key, ONE))).isInstanceOf(Reply.Ok.class);
		Member leader = cluster.leader();
		Member next = cluster.nodes.follower();
		cluster.nodes.node(leader).transferLeadership(next);
		TestCluster.await().until(() -> cluster.serves(next));
		assertThat(cluster.connect(next, "client").call(new Command.Get(this.key))).isEqualTo(new Reply.Value(ONE));
		TestCluster.await().until(() -> !cluster.serves(leader));
	}

	@Test
	void lateNodeReceivesStoreSnapshot() throws Exception {
		cluster.leader();
		Member late = cluster.nodes.follower();
		cluster.kill(late);
		StoreClient client = cluster.connect("client");
		client.call(new Command.Set(Bytes.of("a"), ONE));
		RaftNode leader = cluster.nodes.node(cluster.leader());
		leader.snapshot().get(20, TimeUnit.SECONDS);
		client.call(new Command.Set(Bytes.of("b"), ONE));
		// Removes the entries up to the first snapshot.
		leader.snapshot().get(20, TimeUnit.SECONDS);
		client.call(new Command.Set(Bytes.of("c"), ONE));
		cluster.start(late);
		awaitKeys(3);
	}

}
