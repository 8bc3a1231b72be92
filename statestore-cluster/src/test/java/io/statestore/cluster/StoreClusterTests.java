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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The store on three nodes with real consensus. */
class StoreClusterTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final Bytes ONE = Bytes.of("1");

	private static final Bytes TWO = Bytes.of("2");

	@TempDir
	private Path directory;

	private StoreCluster cluster;

	@BeforeEach
	void start() throws Exception {
		this.cluster = new StoreCluster(this.directory);
		this.cluster.startAll();
	}

	@AfterEach
	void stop() {
		this.cluster.close();
		assertThat(this.cluster.failures).isEmpty();
	}

	private void awaitKeys(int keys) {
		for (Member member : this.cluster.nodes.members()) {
			TestCluster.await().until(() -> this.cluster.replica(member).statistics().keys() == keys);
		}
	}

	@Test
	void everyNodeAppliesWritesOfLeader() throws Exception {
		StoreClient client = this.cluster.connect("client");
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
	void nextLeaderAnswersRepeatedRequestOfKilledOne() throws Exception {
		Member killed = this.cluster.leader();
		Command acquisition = new Command.Set(KEY, ONE, Condition.IF_ABSENT, Duration.ofMinutes(1));
		Bytes correlation = StoreClient.correlation();
		this.cluster.connect(killed, "client").send(acquisition, correlation).get(20, TimeUnit.SECONDS);
		this.cluster.kill(killed);
		StoreClient client = this.cluster.connect("client");
		assertThat(client.send(acquisition, correlation).get(20, TimeUnit.SECONDS)).isInstanceOf(Reply.Ok.class);
		assertThat(client.call(acquisition)).isEqualTo(Reply.Count.NOT_APPLIED);
		this.cluster.start(killed);
		awaitKeys(1);
	}

	@Test
	void isolatedLeaderAnswersNothing() throws Exception {
		Member isolated = this.cluster.leader();
		StoreClient old = this.cluster.connect(isolated, "old");
		assertThat(old.call(new Command.Set(KEY, ONE))).isInstanceOf(Reply.Ok.class);
		this.cluster.nodes.isolate(isolated);
		CompletableFuture<Reply> write = old.send(new Command.Set(KEY, Bytes.of("lost")));
		CompletableFuture<Reply> read = old.send(new Command.Get(KEY));
		CompletableFuture<Reply> observation = old.send(new Command.KeyNotify(KEY));
		StoreClient client = this.cluster.connect("client");
		assertThat(client.call(new Command.Set(KEY, TWO))).isInstanceOf(Reply.Ok.class);
		TestCluster.await().until(() -> !this.cluster.serves(isolated));
		this.cluster.nodes.heal();
		assertThat(client.call(new Command.Get(KEY))).isEqualTo(new Reply.Value(TWO));
		awaitKeys(1);
		assertThat(write).isNotDone();
		assertThat(read).isNotDone();
		assertThat(observation).isNotDone();
	}

	@Test
	void servesAfterLeadershipMoves() throws Exception {
		assertThat(this.cluster.connect("client").call(new Command.Set(KEY, ONE))).isInstanceOf(Reply.Ok.class);
		Member leader = this.cluster.leader();
		Member next = this.cluster.nodes.follower();
		this.cluster.nodes.node(leader).transferLeadership(next);
		TestCluster.await().until(() -> this.cluster.serves(next));
		assertThat(this.cluster.connect(next, "client").call(new Command.Get(KEY))).isEqualTo(new Reply.Value(ONE));
		TestCluster.await().until(() -> !this.cluster.serves(leader));
	}

	@Test
	void lateNodeReceivesSnapshotOfStore() throws Exception {
		this.cluster.leader();
		Member late = this.cluster.nodes.follower();
		this.cluster.kill(late);
		StoreClient client = this.cluster.connect("client");
		client.call(new Command.Set(Bytes.of("a"), ONE));
		RaftNode leader = this.cluster.nodes.node(this.cluster.leader());
		leader.snapshot().get(20, TimeUnit.SECONDS);
		client.call(new Command.Set(Bytes.of("b"), ONE));
		// Removes the entries up to the first snapshot.
		leader.snapshot().get(20, TimeUnit.SECONDS);
		client.call(new Command.Set(Bytes.of("c"), ONE));
		this.cluster.start(late);
		awaitKeys(3);
	}

}
