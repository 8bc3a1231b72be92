package io.statestore.broker.server;

import java.time.Duration;
import java.util.List;

import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.log.TestDisk.Hold;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.server.RecordingConnection.Acknowledged;
import io.statestore.broker.server.RecordingConnection.Disconnected;
import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Requests while a write waits for the disk. */
class PendingRequestTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final Bytes ONE = Bytes.of("1");

	private static final Command SET = new Command.Set(KEY, ONE);

	private static final Command GET = new Command.Get(KEY);

	private static final Reply OVER_QUOTA = new Reply.Error(ErrorReason.QUOTA_EXCEEDED);

	private final RestartableStore store = new RestartableStore();

	private final RecordingConnection writer = this.store.connect("writer");

	private final RecordingConnection other = this.store.connect("other");

	private final Hold hold = this.store.disk.holdNextForce();

	@AfterEach
	void close() {
		this.hold.release();
		this.store.close();
	}

	/** Sends a request without waiting for the reply. */
	private Draft send(RecordingConnection client, Command command) {
		Draft draft = client.draft(command);
		send(draft);
		return draft;
	}

	private void send(Draft draft) {
		this.store.server().request(draft.toRequest());
	}

	private static Received reply(RecordingConnection client) {
		Received reply = new Received((OutgoingMessage) client.take());
		assertThat(client.take()).isEqualTo(new Acknowledged(0));
		return reply;
	}

	@Test
	void sendsNothingBeforeWriteIsOnDisk() {
		this.other.call(new Command.KeyNotify(KEY));
		send(this.writer, SET);
		this.hold.awaitReached();
		assertThat(this.other.call(GET).reply()).isEqualTo(new Reply.Missing());
		assertThat(this.store.server().durability().orElseThrow().entriesBehind()).isEqualTo(1);
		assertThat(this.writer.events).isEmpty();
		assertThat(this.other.events).isEmpty();
		this.hold.release();
		assertThat(reply(this.writer).reply()).isEqualTo(new Reply.Ok());
		assertThat(new Received((OutgoingMessage) this.other.take()).notification())
			.isEqualTo(new Notification.Set(ONE));
		assertThat(this.other.call(GET).reply()).isEqualTo(new Reply.Value(ONE));
	}

	@Test
	void keepsRequestsFromClientInOrder() {
		send(this.writer, SET);
		this.hold.awaitReached();
		send(this.writer, GET);
		send(this.writer, new Command.KeyNotify(KEY));
		Draft malformed = this.writer.draft(GET);
		malformed.payload = new byte[] { '!' };
		send(malformed);
		Draft unanswerable = this.writer.draft(GET);
		unanswerable.correlationData = null;
		send(unanswerable);
		send(this.writer, new Command.Del(KEY));
		send(this.writer, GET);
		send(this.writer, new Command.KeyNotifyStop(KEY));
		send(this.writer, SET);
		assertThat(this.writer.events).isEmpty();
		this.hold.release();
		assertThat(reply(this.writer).reply()).isEqualTo(new Reply.Ok());
		assertThat(reply(this.writer).reply()).isEqualTo(new Reply.Value(ONE));
		assertThat(reply(this.writer).reply()).isEqualTo(new Reply.Ok());
		assertThat(reply(this.writer).reply()).isEqualTo(new Reply.Error(ErrorReason.SYNTAX_ERROR));
		assertThat(this.writer.take()).isEqualTo(new Acknowledged(0x83));
		assertThat(new Received((OutgoingMessage) this.writer.take()).notification())
			.isEqualTo(new Notification.Delete());
		assertThat(reply(this.writer).reply()).isEqualTo(new Reply.Count(1));
		assertThat(reply(this.writer).reply()).isEqualTo(new Reply.Missing());
		assertThat(reply(this.writer).reply()).isEqualTo(new Reply.Ok());
		assertThat(reply(this.writer).reply()).isEqualTo(new Reply.Ok());
		assertThat(this.writer.events).isEmpty();
	}

	@Test
	void forcesWaitingWritesTogether() {
		long before = forces();
		send(this.writer, SET);
		this.hold.awaitReached();
		for (int i = 0; i < 100; i++) {
			send(this.other, SET);
		}
		this.hold.release();
		for (int i = 0; i < 100; i++) {
			reply(this.other);
		}
		assertThat(forces()).isEqualTo(before + 2);
	}

	private long forces() {
		return this.store.server().durability().orElseThrow().forceCount();
	}

	@Test
	void executesPipelinedRepetitionOnce() {
		Draft lock = send(this.writer, new Command.Set(KEY, ONE, Condition.IF_ABSENT, null));
		this.hold.awaitReached();
		send(lock);
		RecordingConnection next = this.store.connect("writer");
		send(lock.resentBy(next));
		this.hold.release();
		Received first = reply(this.writer);
		assertThat(first.reply()).isEqualTo(new Reply.Ok());
		for (Received repeated : List.of(reply(this.writer), reply(next))) {
			assertThat(repeated.reply()).isEqualTo(new Reply.Ok());
			assertThat(repeated.version()).isEqualTo(first.version());
		}
		assertThat(this.store.server().statistics().repeatedRequests()).isEqualTo(2);
	}

	@Test
	void endOfConnectionEndsWaitingWatch() {
		MemoryBudget budget = new MemoryBudget(1 << 20, 1 << 20);
		RecordingConnection leaving = new RecordingConnection(this.store.server(), "leaving", budget.open());
		this.store.server().connected(leaving);
		send(leaving, SET);
		this.hold.awaitReached();
		send(leaving, new Command.KeyNotify(KEY));
		this.store.server().disconnected(leaving);
		this.hold.release();
		reply(leaving);
		reply(leaving);
		await("the end of the watch").until(() -> this.store.server().statistics().watchedKeys() == 0);
		this.writer.call(new Command.Del(KEY));
		assertThat(leaving.events).isEmpty();
	}

	@Test
	void closeAnswersWaitingRequests() throws InterruptedException {
		send(this.writer, SET);
		this.hold.awaitReached();
		send(this.writer, GET);
		Thread closing = new Thread(this.store::close);
		closing.start();
		this.hold.release();
		closing.join(10_000);
		assertThat(reply(this.writer).reply()).isEqualTo(new Reply.Ok());
		assertThat(reply(this.writer).reply()).isEqualTo(new Reply.Value(ONE));
		assertThat(this.store.connect("writer").call(GET).reply()).isEqualTo(new Reply.Value(ONE));
	}

	@Test
	void refusesWritesAndWaitingReadsBeyondMemory() {
		this.hold.release();
		this.store.close();
		this.store.maxHeld = 1_000_000;
		RecordingConnection busy = this.store.connect("busy");
		RecordingConnection calm = this.store.connect("calm");
		Hold full = this.store.disk.holdNextForce();
		Command large = new Command.Set(KEY, Bytes.wrap(new byte[1_000_000]));
		Draft first = send(busy, large);
		full.awaitReached();
		assertThat(calm.call(SET).reply()).isEqualTo(OVER_QUOTA);
		assertThat(calm.call(GET).reply()).isEqualTo(new Reply.Missing());
		send(busy, GET);
		send(first);
		assertThat(busy.events).as("replies must not overtake that of the write").isEmpty();
		full.release();
		Version version = reply(busy).version();
		assertThat(reply(busy).reply()).isEqualTo(OVER_QUOTA);
		assertThat(reply(busy).version()).as("the repetition must not be refused").isEqualTo(version);
		assertThat(calm.call(SET).reply()).isEqualTo(new Reply.Ok());
		assertThat(this.store.server().statistics().refusedRequests()).isEqualTo(2);
	}

	@Test
	void disconnectsClientIfItsRefusalsNeedTooMuchMemory() {
		this.hold.release();
		this.store.close();
		this.store.maxHeld = 100_000;
		RecordingConnection busy = this.store.connect("busy");
		RecordingConnection calm = this.store.connect("calm");
		Hold full = this.store.disk.holdNextForce();
		send(busy, SET);
		full.awaitReached();
		while (busy.events.isEmpty()) {
			Draft request = busy.draft(SET);
			request.userProperties = List.of(new UserProperty("p", "v".repeat(1_000)));
			send(request);
		}
		assertThat(busy.takeEvents()).containsExactly(new Acknowledged(0x97), new Disconnected(0x97));
		assertThat(calm.call(GET).reply()).isEqualTo(new Reply.Missing());
		full.release();
		assertThat(reply(busy).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void refusalsCountTheirTopicsAndCorrelationData() {
		this.hold.release();
		this.store.close();
		this.store.maxHeld = 1_000_000;
		RecordingConnection busy = this.store.connect("busy");
		Hold full = this.store.disk.holdNextForce();
		send(busy, SET);
		full.awaitReached();
		int count = 0;
		for (; busy.events.isEmpty(); count++) {
			Draft request = busy.draft(SET).correlation(count + "c".repeat(30_000));
			request.responseTopic = "clients/busy/" + "t".repeat(30_000);
			send(request);
		}
		full.release();
		assertThat(count).as("requests of 60,000 bytes").isLessThan(50);
	}

	@Test
	void doesNotExecuteRequestThatExpiresWhileWaiting() {
		send(this.writer, SET);
		this.hold.awaitReached();
		Draft late = this.other.draft(new Command.Set(KEY, Bytes.of("late")));
		late.messageExpiry = Duration.ofSeconds(5);
		send(late);
		Draft soon = this.other.draft(new Command.Set(Bytes.of("soon"), ONE));
		soon.messageExpiry = Duration.ofSeconds(6);
		send(soon);
		this.store.pass(Duration.ofSeconds(5));
		this.hold.release();
		assertThat(this.other.take()).isEqualTo(new Acknowledged(0x83));
		assertThat(reply(this.other).reply()).isEqualTo(new Reply.Ok());
		assertThat(this.other.call(GET).reply()).isEqualTo(new Reply.Value(ONE));
		this.store.kill();
		assertThat(this.store.connect("other").call(GET).reply()).isEqualTo(new Reply.Value(ONE));
	}

	@Test
	void readAfterWriteDoesNotShowExpiredKey() {
		this.hold.release();
		this.writer.call(new Command.Set(KEY, ONE, Condition.ALWAYS, Duration.ofSeconds(10)));
		Hold next = this.store.disk.holdNextForce();
		send(this.writer, new Command.Set(Bytes.of("another"), ONE));
		next.awaitReached();
		this.store.pass(Duration.ofSeconds(11));
		send(this.writer, GET);
		next.release();
		assertThat(reply(this.writer).reply()).isEqualTo(new Reply.Ok());
		assertThat(reply(this.writer).reply()).isEqualTo(new Reply.Missing());
	}

	@Test
	void laterWriteDoesNotOvertakeScanOfExpiredKeys() {
		this.hold.release();
		for (int i = 0; i < LogEntry.Expire.MAX_KEYS + 1; i++) {
			this.writer.call(new Command.Set(Bytes.of("k" + i), ONE, Condition.ALWAYS, Duration.ofMinutes(1)));
		}
		Hold next = this.store.disk.holdNextForce();
		send(this.other, SET);
		next.awaitReached();
		this.store.pass(Duration.ofMinutes(2));
		send(this.writer, new Command.Scan(Bytes.of("*"), null));
		send(this.writer, new Command.Set(Bytes.of("later"), ONE));
		next.release();
		assertThat(reply(this.writer).reply()).isEqualTo(new Reply.Page(List.of(KEY), null));
		assertThat(reply(this.writer).reply()).isEqualTo(new Reply.Ok());
	}

}
