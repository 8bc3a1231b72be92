package io.statestore.broker.server;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.server.RecordingConnection.Acknowledged;
import io.statestore.broker.server.RecordingConnection.Disconnected;
import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.BackupAdministration;
import io.statestore.protocol.BackupPage;
import io.statestore.protocol.BackupQuery;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

class StaleReadsTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final Bytes ONE = Bytes.of("1");

	private static final Bytes TWO = Bytes.of("2");

	private static final Duration LEASE = Duration.ofSeconds(60);

	private static final Command GET = new Command.Get(KEY);

	private static final Command SCAN = new Command.Scan(Bytes.of("*"), null);

	private final SimulatedCluster cluster = new SimulatedCluster(1, 3);

	private RecordingConnection client;

	private CopyAge age = CopyAge.atMost(Duration.ZERO);

	@BeforeEach
	void start() {
		this.client = RecordingConnection.to(this.cluster.start(0).server(), "client");
	}

	@AfterEach
	void close() {
		this.cluster.close();
	}

	private void write(Command command) {
		this.client.server().request(this.client.draft(command).toRequest());
	}

	/** Writes through the leader, and waits until all nodes have the change. */
	private Received settled(Command command) {
		write(command);
		this.cluster.settle();
		return RecordingConnection.received(this.client.takeEvents());
	}

	private StaleReads reads(int node) {
		return this.cluster.node(node).replica.staleReads(() -> this.age);
	}

	private List<Object> exchange(int node, Draft draft) {
		reads(node).request(draft.toRequest());
		return this.client.takeEvents();
	}

	private Received read(int node, Command command) {
		return RecordingConnection.received(exchange(node, this.client.draft(command)));
	}

	private static Command.Set lease(Bytes value) {
		return new Command.Set(KEY, value, Condition.IF_ABSENT_OR_EQUAL, LEASE);
	}

	@Test
	void answersWhatNodeHasApplied() {
		Received first = settled(new Command.Set(KEY, ONE));
		write(new Command.Set(KEY, TWO));
		this.cluster.commit();
		this.cluster.node(0).applyAll();
		Received second = RecordingConnection.received(this.client.takeEvents());
		Received current = read(0, GET);
		assertThat(current.reply()).isEqualTo(new Reply.Value(TWO));
		assertThat(current.version()).isEqualTo(second.version());
		Received stale = read(1, GET);
		assertThat(stale.reply()).isEqualTo(new Reply.Value(ONE));
		assertThat(stale.version()).isEqualTo(first.version());
		this.cluster.node(1).applyAll();
		assertThat(read(1, GET).reply()).isEqualTo(new Reply.Value(TWO));
	}

	@Test
	void answersWithoutLeader() {
		settled(new Command.Set(KEY, ONE));
		this.cluster.depose();
		this.cluster.node(0).follow();
		this.age = CopyAge.UNKNOWN;
		assertThat(read(0, GET).reply()).isEqualTo(new Reply.Value(ONE));
		assertThat(read(0, SCAN).reply()).isEqualTo(new Reply.Page(List.of(KEY), null));
	}

	@Test
	void statesUpperBoundOfAge() {
		settled(new Command.Set(KEY, ONE));
		for (Command command : List.of(GET, SCAN, new Command.Get(TWO), new Command.Del(KEY))) {
			this.age = CopyAge.atMost(Duration.ofMillis(1_500));
			assertThat(read(1, command).property(StaleReads.AGE)).isEqualTo("1500");
			this.age = CopyAge.atMost(Duration.ofMillis(1_500).plusNanos(1));
			assertThat(read(1, command).property(StaleReads.AGE)).isEqualTo("1501");
			this.age = CopyAge.UNKNOWN;
			assertThat(read(1, command).property(StaleReads.AGE)).isNull();
		}
	}

	@Test
	void answersNoReadWhileNodeCatchesUp() {
		settled(new Command.Set(KEY, ONE));
		this.age = CopyAge.PENDING;
		for (Command command : List.of(GET, SCAN, new Command.Get(TWO))) {
			assertThat(exchange(1, this.client.draft(command)))
				.containsExactly(new Acknowledged(ReasonCodes.IMPLEMENTATION_SPECIFIC));
		}
		assertThat(read(1, new Command.Del(KEY)).reply()).isInstanceOf(Reply.Error.class);
		this.age = CopyAge.atMost(Duration.ZERO);
		assertThat(read(1, GET).reply()).isEqualTo(new Reply.Value(ONE));
	}

	@Test
	void keyIsAbsentFromItsDeadlineOnWithoutAnEntry() {
		settled(lease(ONE));
		this.cluster.nanos += LEASE.toNanos() - 1_000_000;
		assertThat(read(1, GET).reply()).isEqualTo(new Reply.Value(ONE));
		assertThat(read(1, SCAN).reply()).isEqualTo(new Reply.Page(List.of(KEY), null));
		this.cluster.nanos += 1_000_000;
		assertThat(read(1, GET).reply()).isInstanceOf(Reply.Missing.class);
		assertThat(read(1, SCAN).reply()).isEqualTo(new Reply.Page(List.of(), null));
		assertThat(read(1, new Command.Scan(KEY, null)).reply()).isEqualTo(new Reply.Page(List.of(), null));
		assertThat(this.cluster.node(1).replica.statistics().keys()).isEqualTo(1);
	}

	@Test
	void renewedLeaseIsShownOnceItsEntryArrives() {
		settled(lease(ONE));
		this.cluster.nanos += LEASE.toNanos() / 2;
		write(lease(ONE));
		this.cluster.commit();
		this.cluster.nanos += LEASE.toNanos() / 2;
		this.client.takeEvents();
		assertThat(read(1, GET).reply()).isInstanceOf(Reply.Missing.class);
		this.cluster.node(1).applyAll();
		assertThat(read(1, GET).reply()).isEqualTo(new Reply.Value(ONE));
	}

	static Stream<Command> refusedCommands() {
		return Stream.of(new Command.Set(KEY, TWO), new Command.Del(KEY), new Command.VDel(KEY, ONE),
				new Command.KeyNotify(KEY), new Command.KeyNotifyStop(KEY));
	}

	@ParameterizedTest
	@MethodSource("refusedCommands")
	void refusesAllButReads(Command command) {
		settled(new Command.Set(KEY, ONE));
		for (int node = 0; node < 2; node++) {
			assertThat(read(node, command).reply()).isInstanceOfSatisfying(Reply.Error.class, (error) -> {
				assertThat(error.reason()).isEqualTo(ErrorReason.UNKNOWN);
				assertThat(error.text()).contains("stale reads", "normal port");
			});
		}
		this.cluster.settle();
		assertThat(read(0, GET).reply()).isEqualTo(new Reply.Value(ONE));
	}

	@Test
	void refusesAdministration() {
		reads(1).administer(this.client.draft(GET).toRequest(), true);
		assertThat(RecordingConnection.received(this.client.takeEvents()).reply())
			.isInstanceOfSatisfying(Reply.Error.class, (error) -> assertThat(error.text()).contains("normal port"));
	}

	@Test
	void givesBackupWithoutLeader() throws IOException {
		settled(new Command.Set(KEY, ONE));
		this.cluster.depose();
		this.cluster.node(0).follow();
		this.age = CopyAge.UNKNOWN;
		Draft draft = this.client.draft(GET);
		draft.payload = BackupAdministration.encode(new BackupQuery(null));
		reads(1).administer(draft.toRequest(), false);
		assertThat(RecordingConnection.received(this.client.takeEvents()).reply()).isInstanceOf(Reply.Error.class);
		BackupPage page = backupPage(draft);
		assertThat(page.token()).isNotNull();
		draft.payload = BackupAdministration.encode(new BackupQuery(page.token()));
		InputStream state = new ByteArrayInputStream(backupPage(draft).data().toArray());
		assertThat(StateMachine.restore(state, (key, value, version, author) -> {
		}).keyCount()).isOne();
		reads(1).disconnected(this.client);
		reads(1).administer(draft.toRequest(), true);
		assertThat(RecordingConnection.received(this.client.takeEvents()).reply())
			.isInstanceOfSatisfying(Reply.Error.class, (error) -> assertThat(error.text()).contains("has ended"));
		this.age = CopyAge.PENDING;
		reads(1).administer(draft.toRequest(), true);
		assertThat(RecordingConnection.received(this.client.takeEvents()).reply())
			.isInstanceOfSatisfying(Reply.Error.class, (error) -> assertThat(error.text()).contains("not yet: "));
	}

	@Test
	void nodeWritesSnapshotsAgainAfterBackup() throws IOException {
		settled(new Command.Set(KEY, ONE));
		Draft draft = this.client.draft(GET);
		draft.payload = BackupAdministration.encode(new BackupQuery(null));
		backupPage(draft);
		Replica replica = this.cluster.node(1).replica;
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> replica.snapshot().write(OutputStream.nullOutputStream()))
			.withMessageContaining("a client reads a backup");
		reads(1).disconnected(this.client);
		settled(new Command.Set(KEY, TWO));
		ByteArrayOutputStream snapshot = new ByteArrayOutputStream();
		replica.snapshot().write(snapshot);
		assertThat(snapshot.size()).isPositive();
		assertThat(read(1, GET).reply()).isEqualTo(new Reply.Value(TWO));
	}

	private BackupPage backupPage(Draft draft) {
		reads(1).administer(draft.toRequest(), true);
		List<Object> events = this.client.takeEvents();
		return BackupAdministration.decodePage(Bytes.wrap(((OutgoingMessage) events.get(0)).payload()));
	}

	@Test
	void refusesMalformedRequests() {
		Draft malformed = this.client.draft(GET);
		malformed.payload = new byte[] { '?' };
		assertThat(RecordingConnection.received(exchange(1, malformed)).reply())
			.isEqualTo(new Reply.Error(ErrorReason.SYNTAX_ERROR));
		Draft expired = this.client.draft(GET);
		expired.messageExpiry = Duration.ZERO;
		Draft unanswerable = this.client.draft(GET);
		unanswerable.correlationData = null;
		Draft forbidden = this.client.draft(GET);
		forbidden.responseTopic = "clients/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8/x";
		assertThat(exchange(1, expired)).containsExactly(new Acknowledged(ReasonCodes.IMPLEMENTATION_SPECIFIC));
		assertThat(exchange(1, unanswerable)).containsExactly(new Acknowledged(ReasonCodes.IMPLEMENTATION_SPECIFIC));
		assertThat(exchange(1, forbidden)).containsExactly(new Acknowledged(ReasonCodes.TOPIC_NAME_INVALID),
				new Disconnected(ReasonCodes.PROTOCOL_ERROR));
	}

	@Test
	void reportsNoKeyAsAbsentBeforeThereIsState() {
		this.cluster.node(2).restart();
		assertThat(exchange(2, this.client.draft(GET)))
			.containsExactly(new Acknowledged(ReasonCodes.IMPLEMENTATION_SPECIFIC));
		this.cluster.settle();
		assertThat(read(2, GET).reply()).isInstanceOf(Reply.Missing.class);
	}

	@Test
	void reportsNoKeyAsAbsentWhileStateIsReplaced() {
		settled(new Command.Set(KEY, ONE));
		List<Object> events = new ArrayList<>();
		InputStream damaged = new InputStream() {
			@Override
			public int read() throws IOException {
				events.addAll(exchange(2, StaleReadsTests.this.client.draft(GET)));
				throw new IOException("damaged");
			}
		};
		assertThatIOException().isThrownBy(() -> this.cluster.node(2).replica.restore(0, null, damaged));
		events.addAll(exchange(2, this.client.draft(GET)));
		assertThat(events).hasSize(2).containsOnly(new Acknowledged(ReasonCodes.IMPLEMENTATION_SPECIFIC));
	}

}
