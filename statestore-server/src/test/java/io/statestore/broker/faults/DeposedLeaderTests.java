package io.statestore.broker.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.crash.Pending;
import io.statestore.broker.linearizability.LinearizabilityChecker;
import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Reply;
import io.statestore.test.RawPublish;
import io.statestore.test.RequiresProgram;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests a leader that is paused until another leader has accepted a write, and then
 * receives a read that was sent later.
 */
@Tag("long")
@Tag("nightly")
@Timeout(300)
@RequiresProgram({ "gcc", "ip" })
class DeposedLeaderTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final List<String> NAMES = List.of("a", "b", "c");

	private static final int ROUNDS = 5;

	/** A careless leader may by chance step down in time. */
	private static final int MAX_CARELESS_ROUNDS = 20;

	private final Random random = new Random();

	private final List<Operation> history = new ArrayList<>();

	@TempDir
	private Path directory;

	@Test
	void deposedLeaderAnswersNoStaleRead() throws Exception {
		try (Nodes nodes = Nodes.cluster(this.directory, NAMES)) {
			for (int i = 0; i < ROUNDS; i++) {
				round(nodes, i);
			}
		}
		assertThat(LinearizabilityChecker.check(this.history)).isEmpty();
	}

	/**
	 * Tests the same with a leader that does not confirm reads, which the checker must
	 * detect.
	 */
	@Test
	void findsStaleReadFromCarelessLeader() throws Exception {
		Path classes = CarelessClasses.copy(this.directory.resolve("classes"));
		int rounds = 0;
		try (Nodes nodes = Nodes.cluster(this.directory, NAMES, classes)) {
			while (LinearizabilityChecker.check(this.history).isEmpty() && rounds < MAX_CARELESS_ROUNDS) {
				round(nodes, rounds++);
			}
		}
		System.out.println("Stale read of a careless leader found in round " + rounds);
		assertThat(LinearizabilityChecker.check(this.history)).containsOnlyKeys(KEY);
	}

	private void round(Nodes nodes, int number) {
		nodes.awaitReady();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> nodes.all().stream().anyMatch(Node::leads));
		Node leader = nodes.leader(this.random);
		Node follower = nodes.all().stream().filter((node) -> node != leader).findFirst().orElseThrow();
		StoreClient reader = StoreClient.connect(leader.address(), "reader");
		set(reader, "old-" + number);
		leader.pause();
		try {
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.ignoreExceptions()
				.until(() -> follower.accepts()
						|| nodes.all().stream().anyMatch((node) -> node != leader && node.leads()));
			try (StoreClient writer = StoreClient.connect(follower.address(), "writer")) {
				set(writer, "new-" + number);
			}
			RawPublish request = reader.request(Resp.command("GET", KEY.toUtf8()));
			long invoked = System.nanoTime();
			reader.mqtt().send(request);
			leader.resume();
			record("reader", new Command.Get(KEY), invoked, reader.reply(request));
		}
		catch (AssertionError | IllegalStateException ex) {
			// The connection ended without a reply.
		}
		finally {
			leader.resume();
			reader.mqtt().drop();
		}
	}

	private void set(StoreClient client, String value) {
		long invoked = System.nanoTime();
		Command command = new Command.Set(KEY, Bytes.of(value));
		try {
			record(client.clientId(), command, invoked, client.call("SET", KEY.toUtf8(), value));
		}
		catch (AssertionError | RuntimeException ex) {
			this.history.add(new Operation(client.clientId(), command, null, invoked, Operation.NEVER, null, null));
			throw new IllegalStateException(ex);
		}
	}

	private void record(String client, Command command, long invoked, RawPublish message) {
		Reply reply = Replies.decode(Bytes.copyOf(message.payload));
		this.history
			.add(new Operation(client, command, null, invoked, System.nanoTime(), reply, Pending.version(message)));
	}

}
