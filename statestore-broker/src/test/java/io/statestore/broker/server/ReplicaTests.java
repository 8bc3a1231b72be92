package io.statestore.broker.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.statestore.broker.codec.StateFormatException;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.server.RecordingConnection.Acknowledged;
import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.broker.server.ReplicatedLog.Outcome;
import io.statestore.broker.session.SessionChange.Connect;
import io.statestore.broker.session.SessionLog;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Commands;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

class ReplicaTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final Bytes ONE = Bytes.of("1");

	private static final Bytes TWO = Bytes.of("2");

	@AutoClose
	private final SimulatedCluster cluster = new SimulatedCluster(1, 3);

	private static RecordingConnection connect(SimulatedNode node) {
		return RecordingConnection.to(node.server(), "client");
	}

	private static Draft send(RecordingConnection connection, Command command) {
		return send(connection, connection.draft(command));
	}

	private static Draft send(RecordingConnection connection, Draft draft) {
		connection.server().request(draft.toRequest());
		return draft;
	}

	/** Sends a request and returns its reply after everything has settled. */
	private Reply call(RecordingConnection connection, Command command) {
		send(connection, command);
		this.cluster.settle();
		return reply(connection);
	}

	private static Reply reply(RecordingConnection connection) {
		return RecordingConnection.received(connection.takeEvents()).reply();
	}

	private static Command.Set set(Bytes value) {
		return new Command.Set(KEY, value);
	}

	@Test
	void repliesToWriteOnceCommittedAndApplied() {
		SimulatedNode leader = this.cluster.start(0);
		RecordingConnection client = connect(leader);
		send(client, set(ONE));
		assertThat(client.takeEvents()).isEmpty();
		this.cluster.commit();
		this.cluster.node(1).applyAll();
		assertThat(client.takeEvents()).isEmpty();
		leader.applyAll();
		assertThat(reply(client)).isInstanceOf(Reply.Ok.class);
	}

	@Test
	void holdsReadReplyUntilLeadershipIsConfirmed() {
		RecordingConnection client = connect(this.cluster.start(0));
		assertThat(call(client, set(ONE))).isInstanceOf(Reply.Ok.class);
		send(client, new Command.Get(KEY));
		assertThat(client.takeEvents()).isEmpty();
		this.cluster.deliver();
		assertThat(reply(client)).isEqualTo(new Reply.Value(ONE));
	}

	@Test
	void scanHasReadBeforeLeadershipIsConfirmed() {
		RecordingConnection client = connect(this.cluster.start(0));
		List<String> events = new ArrayList<>();
		IncomingRequest scan = client.draft(new Command.Scan(Bytes.of("*"), null)).toRequest();
		client.server()
			.request(new IncomingRequest(client, 1, scan.responseTopic(), scan.correlationData(), null,
					scan.userProperties(), scan.payload(), new IncomingRequest.Acknowledgment() {

						@Override
						public void read() {
							events.add("read");
						}

						@Override
						public void acknowledge(int reasonCode) {
							events.add("acknowledged");
						}

					}));
		this.cluster.pass(Duration.ofMillis(1));
		assertThat(events).containsExactly("read");
		this.cluster.settle();
		assertThat(events).containsExactly("read", "acknowledged");
	}

	@Test
	void writeReplyDoesNotOvertakeReadReply() {
		SimulatedNode leader = this.cluster.start(0);
		RecordingConnection client = connect(leader);
		RecordingConnection other = RecordingConnection.to(leader.server(), "other");
		send(other, new Command.Get(KEY));
		Draft read = send(client, new Command.Get(KEY));
		Draft write = send(client, set(ONE));
		this.cluster.commit();
		leader.applyAll();
		assertThat(replies(client)).containsExactly(read.correlationData, write.correlationData);
		assertThat(other.takeEvents()).isEmpty();
		this.cluster.settle();
		assertThat(client.takeEvents()).isEmpty();
		assertThat(other.takeEvents()).hasSize(2);
	}

	@Test
	void errorDoesNotOvertakeReadReply() {
		RecordingConnection client = connect(this.cluster.start(0));
		Draft read = send(client, new Command.Get(KEY));
		Draft invalid = client.draft(new Command.Get(KEY));
		invalid.payload = new byte[] { '?' };
		send(client, invalid);
		assertThat(client.takeEvents()).isEmpty();
		this.cluster.settle();
		assertThat(replies(client)).containsExactly(read.correlationData, invalid.correlationData);
	}

	private static List<Bytes> replies(RecordingConnection connection) {
		return connection.takeEvents()
			.stream()
			.filter(OutgoingMessage.class::isInstance)
			.map((event) -> Objects.requireNonNull(((OutgoingMessage) event).correlationData()))
			.toList();
	}

	@Test
	void readsShareConfirmationOnlyIfItBeganAfterThem() {
		RecordingConnection client = connect(this.cluster.start(0));
		send(client, new Command.Get(KEY));
		send(client, new Command.Get(KEY));
		send(client, new Command.Get(KEY));
		this.cluster.deliver();
		assertThat(client.takeEvents()).hasSize(2);
		this.cluster.deliver();
		assertThat(client.takeEvents()).hasSize(4);
		assertThat(this.cluster.hasMessages()).isFalse();
	}

	@Test
	void replacedLeaderDropsHeldReads() {
		SimulatedNode old = this.cluster.start(0);
		RecordingConnection client = connect(old);
		call(client, set(ONE));
		send(client, new Command.Get(KEY));
		this.cluster.elect(this.cluster.node(1), 0);
		send(client, new Command.Get(KEY));
		send(client, new Command.KeyNotify(KEY));
		for (int i = 0; i < 5; i++) {
			while (this.cluster.hasMessages()) {
				this.cluster.deliver();
			}
			this.cluster.pass(Duration.ofMillis(RetryTimer.DELAY_MILLIS));
		}
		assertThat(client.takeEvents()).isEmpty();
		old.follow();
		this.cluster.settle();
		assertThat(client.takeEvents()).isEmpty();
	}

	@Test
	void replacedLeaderAcknowledgesNoLaterRequest() {
		SimulatedNode old = this.cluster.start(0);
		RecordingConnection client = connect(old);
		old.follow();
		send(client, set(ONE));
		send(client, new Command.Get(KEY));
		this.cluster.settle();
		assertThat(client.takeEvents()).isEmpty();
	}

	@Test
	void retriesConfirmationWhileLeading() {
		RecordingConnection client = connect(this.cluster.start(0));
		SimulatedCluster.Term term = this.cluster.node(0).leading;
		this.cluster.depose();
		send(client, new Command.Get(KEY));
		this.cluster.deliver();
		this.cluster.resume(term);
		this.cluster.pass(Duration.ofMillis(RetryTimer.DELAY_MILLIS));
		assertThat(client.takeEvents()).isEmpty();
		this.cluster.deliver();
		assertThat(reply(client)).isInstanceOf(Reply.Missing.class);
	}

	@Test
	void staleLeaderCommitsNothing() {
		SimulatedNode old = this.cluster.start(0);
		RecordingConnection client = connect(old);
		this.cluster.elect(this.cluster.node(1), 0);
		send(client, set(ONE));
		this.cluster.settle();
		assertThat(client.takeEvents()).isEmpty();
		assertThat(call(connect(this.cluster.node(1)), new Command.Get(KEY))).isInstanceOf(Reply.Missing.class);
	}

	@Test
	void readDoesNotSeeLaterWriteBySameClient() {
		RecordingConnection client = connect(this.cluster.start(0));
		send(client, set(ONE));
		Draft read = send(client, new Command.Get(KEY));
		send(client, set(TWO));
		this.cluster.settle();
		assertThat(
				client.takeEvents().stream().filter(OutgoingMessage.class::isInstance).map(OutgoingMessage.class::cast))
			.filteredOn((message) -> Objects.equals(message.correlationData(), read.correlationData))
			.singleElement()
			.satisfies((message) -> assertThat(new Received(message).reply()).isEqualTo(new Reply.Value(ONE)));
	}

	@Test
	void doesNotReexecuteRepeatedRequestAfterFailover() {
		RecordingConnection client = connect(this.cluster.start(0));
		Draft acquisition = send(client, new Command.Set(KEY, ONE, Condition.IF_ABSENT, null));
		this.cluster.commit();
		this.cluster.node(0).follow();
		this.cluster.elect(this.cluster.node(1), 0);
		this.cluster.settle();
		assertThat(client.takeEvents()).isEmpty();
		RecordingConnection again = connect(this.cluster.node(1));
		send(again, acquisition.resentBy(again));
		this.cluster.settle();
		assertThat(reply(again)).isInstanceOf(Reply.Ok.class);
		assertThat(this.cluster.node(1).server().statistics().repeatedRequests()).isEqualTo(1);
	}

	@Test
	void executesRequestThatOutlivesItsLeaderOnce() {
		RecordingConnection client = connect(this.cluster.start(0));
		Draft acquisition = send(client, new Command.Set(KEY, ONE, Condition.IF_ABSENT, null));
		this.cluster.elect(this.cluster.node(1), 1);
		this.cluster.settle();
		RecordingConnection again = connect(this.cluster.node(1));
		send(again, acquisition.resentBy(again));
		this.cluster.settle();
		assertThat(reply(again)).isInstanceOf(Reply.Ok.class);
	}

	@Test
	void batchFromEarlierTermIsAppliedWithoutReply() {
		SimulatedNode leader = this.cluster.start(0);
		RecordingConnection client = connect(leader);
		send(client, set(ONE));
		this.cluster.interruptLeader();
		this.cluster.settle();
		assertThat(client.takeEvents()).isEmpty();
		assertThat(call(connect(leader), new Command.Get(KEY))).isEqualTo(new Reply.Value(ONE));
	}

	@Test
	void refusesWriteProvenLostByLaterWrite() {
		RecordingConnection client = connect(this.cluster.start(0));
		send(client, set(ONE));
		this.cluster.drop(Outcome.UNKNOWN);
		this.cluster.deliver();
		assertThat(client.takeEvents()).isEmpty();
		send(client, set(TWO));
		this.cluster.settle();
		List<Object> events = client.takeEvents();
		assertThat(RecordingConnection.received(events.subList(0, 2)).reply())
			.isEqualTo(new Reply.Error(ErrorReason.QUOTA_EXCEEDED));
		assertThat(RecordingConnection.received(events.subList(2, 4)).reply()).isInstanceOf(Reply.Ok.class);
	}

	@Test
	void replacedLeaderRefusesNothing() {
		RecordingConnection client = connect(this.cluster.start(0));
		this.cluster.elect(this.cluster.node(1), 0);
		this.cluster.full = true;
		send(client, set(ONE));
		while (this.cluster.hasMessages()) {
			this.cluster.deliver();
		}
		assertThat(client.takeEvents()).isEmpty();
	}

	@Test
	void resolvesUnknownOutcomeWithoutMoreWrites() {
		RecordingConnection client = connect(this.cluster.start(0));
		send(client, set(ONE));
		this.cluster.drop(Outcome.UNKNOWN);
		this.cluster.deliver();
		this.cluster.pass(Duration.ofMillis(RetryTimer.DELAY_MILLIS));
		this.cluster.settle();
		assertThat(reply(client)).isEqualTo(new Reply.Error(ErrorReason.QUOTA_EXCEEDED));
	}

	@Test
	void refusesWritesAndContinuesReadsWhileDiskIsFull() {
		RecordingConnection client = connect(this.cluster.start(0));
		call(client, set(ONE));
		this.cluster.full = true;
		assertThat(call(client, set(TWO))).isEqualTo(new Reply.Error(ErrorReason.QUOTA_EXCEEDED));
		assertThat(call(client, new Command.Get(KEY))).isEqualTo(new Reply.Value(ONE));
		this.cluster.full = false;
		assertThat(call(client, new Command.Set(KEY, TWO))).isInstanceOf(Reply.Ok.class);
	}

	@Test
	void fullDiskKeepsReserveForStartAndExpiry() {
		this.cluster.full = true;
		this.cluster.reserve = true;
		SimulatedNode leader = this.cluster.node(0);
		this.cluster.elect(leader, 0);
		this.cluster.settle();
		assertThat(leader.isReady()).isTrue();
		RecordingConnection client = connect(leader);
		assertThat(call(client, set(ONE))).isEqualTo(new Reply.Error(ErrorReason.QUOTA_EXCEEDED));
		this.cluster.full = false;
		call(client, new Command.Set(KEY, ONE, Condition.ALWAYS, Duration.ofSeconds(1)));
		this.cluster.full = true;
		this.cluster.pass(Duration.ofSeconds(2));
		this.cluster.settle();
		assertThat(leader.replica.statistics().keys()).isZero();
	}

	@Test
	void becomesReadyWhenDiskHasSpaceForStart() {
		this.cluster.full = true;
		SimulatedNode leader = this.cluster.node(0);
		this.cluster.elect(leader, 0);
		this.cluster.settle();
		assertThat(leader.isReady()).isFalse();
		this.cluster.full = false;
		this.cluster.pass(Duration.ofMillis(RetryTimer.DELAY_MILLIS));
		this.cluster.settle();
		assertThat(leader.isReady()).isTrue();
	}

	@Test
	void leadershipLostWhileStartingIsNeverReady() {
		SimulatedNode first = this.cluster.node(0);
		this.cluster.elect(first, 0);
		this.cluster.elect(this.cluster.node(1), 1);
		this.cluster.settle();
		assertThat(first.isReady()).isFalse();
		assertThat(this.cluster.node(1).isReady()).isTrue();
	}

	@Test
	void leaseDoesNotEndEarlyAcrossFailover() {
		RecordingConnection client = connect(this.cluster.start(0));
		call(client, new Command.Set(KEY, ONE, Condition.ALWAYS, Duration.ofSeconds(60)));
		this.cluster.nanos += Duration.ofSeconds(40).toNanos();
		SimulatedNode next = this.cluster.start(1);
		this.cluster.nanos += Duration.ofMillis(19_999).toNanos();
		assertThat(call(connect(next), new Command.Get(KEY))).isEqualTo(new Reply.Value(ONE));
		this.cluster.nanos += Duration.ofMillis(1).toNanos();
		assertThat(call(connect(next), new Command.Get(KEY))).isInstanceOf(Reply.Missing.class);
	}

	@Test
	void leaseEndsLateByFollowerDelay() {
		RecordingConnection client = connect(this.cluster.start(0));
		SimulatedNode late = this.cluster.node(1);
		send(client, new Command.Set(KEY, ONE, Condition.ALWAYS, Duration.ofSeconds(60)));
		this.cluster.commit();
		this.cluster.nanos += Duration.ofSeconds(10).toNanos();
		late.applyAll();
		this.cluster.elect(late, 0);
		this.cluster.settle();
		this.cluster.nanos += Duration.ofMillis(59_999).toNanos();
		assertThat(call(connect(late), new Command.Get(KEY))).isEqualTo(new Reply.Value(ONE));
	}

	@Test
	void batchesWritesBehindManyPendingWrites() {
		SimulatedNode leader = this.cluster.start(0);
		RecordingConnection client = connect(leader);
		for (int i = 0; i < 40; i++) {
			send(client, set(ONE));
		}
		assertThat(this.cluster.pending()).isEqualTo(2);
		for (int i = 0; i < 2; i++) {
			this.cluster.commit();
		}
		leader.applyAll();
		assertThat(this.cluster.pending()).isEqualTo(1);
		send(client, set(ONE));
		send(client, set(ONE));
		assertThat(this.cluster.pending()).isEqualTo(1);
		this.cluster.commit();
		leader.applyAll();
		assertThat(this.cluster.pending()).isEqualTo(1);
		this.cluster.settle();
		assertThat(client.takeEvents()).filteredOn(OutgoingMessage.class::isInstance).hasSize(42);
	}

	@Test
	void proposesFullBatchesWhileOthersAreInFlight() {
		RecordingConnection client = connect(this.cluster.start(0));
		Bytes value = Bytes.wrap(new byte[SimulatedCluster.MAX_ENTRY_BYTES / 5]);
		for (int i = 0; i < 40; i++) {
			send(client, new Command.Set(Bytes.of("k" + i), value));
		}
		this.cluster.commit();
		this.cluster.node(0).applyAll();
		// A full batch does not become larger while it waits.
		assertThat(this.cluster.pending()).isEqualTo(3);
		this.cluster.settle();
		assertThat(client.takeEvents()).filteredOn(OutgoingMessage.class::isInstance).hasSize(40);
	}

	@Test
	void burstOfWritesSharesOneEntry() {
		RecordingConnection client = connect(this.cluster.start(0));
		this.cluster.settle();
		Burst.begin();
		try {
			for (int i = 0; i < 40; i++) {
				send(client, new Command.Set(Bytes.of("k" + i), ONE));
			}
			assertThat(this.cluster.pending()).isZero();
		}
		finally {
			Burst.end();
		}
		assertThat(this.cluster.pending()).isOne();
		this.cluster.settle();
		assertThat(client.takeEvents()).filteredOn(OutgoingMessage.class::isInstance).hasSize(40);
	}

	@Test
	void splitsBatchesAtEntryLimit() {
		RecordingConnection client = connect(this.cluster.start(0));
		Bytes value = Bytes.wrap(new byte[30_000]);
		for (int i = 0; i < 20; i++) {
			send(client, new Command.Set(Bytes.of("k" + i), value));
		}
		this.cluster.settle();
		assertThat(client.takeEvents()).hasSize(40).filteredOn(Acknowledged.class::isInstance).hasSize(20);
	}

	@Test
	void refusesWriteThatExceedsEntryLimit() {
		RecordingConnection client = connect(this.cluster.start(0));
		assertThat(call(client, set(Bytes.wrap(new byte[SimulatedCluster.MAX_ENTRY_BYTES]))))
			.isEqualTo(new Reply.Error(ErrorReason.QUOTA_EXCEEDED));
		assertThat(call(client, set(ONE))).isInstanceOf(Reply.Ok.class);
	}

	@Test
	void omitsRequestThatExpiresBeforeProposal() {
		RecordingConnection client = connect(this.cluster.start(0));
		for (int i = 0; i < 3; i++) {
			send(client, new Command.Set(Bytes.of("k" + i), ONE));
		}
		Draft draft = client.draft(set(ONE));
		draft.messageExpiry = Duration.ofSeconds(1);
		send(client, draft);
		this.cluster.nanos += Duration.ofSeconds(1).toNanos();
		this.cluster.settle();
		assertThat(client.takeEvents()).hasSize(7)
			.last()
			.isEqualTo(new Acknowledged(ReasonCodes.IMPLEMENTATION_SPECIFIC));
		assertThat(call(client, new Command.Get(KEY))).isInstanceOf(Reply.Missing.class);
	}

	@Test
	void notifiesWatchersOfCommittedChangesOnly() {
		SimulatedNode leader = this.cluster.start(0);
		RecordingConnection watcher = RecordingConnection.to(leader.server(), "watcher");
		send(watcher, new Command.KeyNotify(KEY));
		assertThat(watcher.takeEvents()).isEmpty();
		this.cluster.settle();
		assertThat(reply(watcher)).isInstanceOf(Reply.Ok.class);
		send(connect(leader), set(ONE));
		assertThat(watcher.takeEvents()).isEmpty();
		this.cluster.settle();
		assertThat(new Received((OutgoingMessage) watcher.take()).notification()).isEqualTo(new Notification.Set(ONE));
	}

	@Test
	void refusesReadsWhileHeldRepliesFillMemory() {
		RecordingConnection client = connect(this.cluster.start(0));
		for (int i = 0; i < 20; i++) {
			call(client, new Command.Set(Bytes.of("k" + i), Bytes.wrap(new byte[60_000])));
		}
		for (int i = 0; i < 20; i++) {
			send(client, new Command.Get(Bytes.of("k" + i)));
		}
		this.cluster.settle();
		List<Object> events = client.takeEvents();
		assertThat(events).hasSize(40);
		assertThat(RecordingConnection.received(events.subList(0, 2)).reply()).isInstanceOf(Reply.Value.class);
		assertThat(RecordingConnection.received(events.subList(38, 40)).reply())
			.isEqualTo(new Reply.Error(ErrorReason.QUOTA_EXCEEDED));
		assertThat(call(client, new Command.Get(KEY))).isInstanceOf(Reply.Missing.class);
	}

	@Test
	void restoresSnapshotWhileSourceAppliesMoreEntries() {
		RecordingConnection client = connect(this.cluster.start(0));
		for (int i = 0; i < 10; i++) {
			call(client, new Command.Set(Bytes.of("k" + i), ONE, Condition.ALWAYS, Duration.ofSeconds(60)));
		}
		SimulatedNode restarted = this.cluster.node(2);
		restarted.restart();
		for (int i = 0; i < 5; i++) {
			send(client, new Command.Set(Bytes.of("k" + i), TWO));
		}
		while (this.cluster.pending() > 0) {
			this.cluster.commit();
		}
		restarted.install(this.cluster.node(1), 5);
		this.cluster.settle();
		assertThat(restarted.state()).isEqualTo(this.cluster.node(0).state());
	}

	@Test
	void emptyStoreHasNoSnapshot() {
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.cluster.node(0).replica.snapshot().write(OutputStream.nullOutputStream()));
	}

	@Test
	void laterSnapshotEndsEarlierSnapshot() {
		Replica replica = this.cluster.start(0).replica;
		Replica.Snapshot first = replica.snapshot();
		Replica.Snapshot second = replica.snapshot();
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> first.write(OutputStream.nullOutputStream()));
		assertThatNoException().isThrownBy(() -> second.write(OutputStream.nullOutputStream()));
	}

	@Test
	void appliesNothingAfterDamagedSnapshot() {
		Replica replica = this.cluster.start(0).replica;
		assertThatException().isThrownBy(() -> replica.restore(0, null, new ByteArrayInputStream(new byte[] { 2, 0 })));
		assertThatIllegalStateException()
			.isThrownBy(() -> replica.apply(0, 0, ReplicatedEntry.encode(List.of()), null));
	}

	@Test
	void refusesMalformedEntry() {
		Replica replica = this.cluster.start(0).replica;
		for (byte[] entry : List.of(new byte[0], new byte[] { 3 }, new byte[] { 1, 0, 0, 0 },
				new byte[] { 1, 0, 0, 0, 9, 1 }, new byte[] { 1, -1, -1, -1, -1 })) {
			assertThatExceptionOfType(StateFormatException.class)
				.isThrownBy(() -> replica.apply(0, 0, ByteBuffer.wrap(entry), null));
		}
	}

	@Test
	void closedServerAppliesItsEntries() {
		SimulatedNode leader = this.cluster.start(0);
		RecordingConnection client = connect(leader);
		send(client, set(ONE));
		leader.server().close();
		this.cluster.settle();
		assertThat(client.takeEvents()).isEmpty();
		assertThat(leader.replica.statistics().keys()).isEqualTo(1);
	}

	@Test
	void errorEndsReplica() {
		SimulatedNode leader = this.cluster.start(0);
		OutOfMemoryError error = new OutOfMemoryError("test");
		ClientConnection failing = new FailingConnection(error);
		leader.server().connected(failing);
		leader.server()
			.request(new IncomingRequest(failing, 1, "clients/client/response", Bytes.of("1"), null, List.of(),
					Bytes.copyOf(Commands.encode(set(ONE))), (reasonCode) -> {
					}));
		this.cluster.commit();
		assertThatIllegalStateException().isThrownBy(leader::applyAll);
		assertThat(leader.errors).containsExactly(error);
		assertThat(leader.replica.failure()).isCompletedWithValue(error);
		assertThat(leader.server().failure()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(error);
		leader.follow();
	}

	@Test
	void machineExceptionEndsReplicaWithoutPartialEffect() {
		SimulatedNode leader = this.cluster.start(0);
		RecordingConnection client = connect(leader);
		for (Bytes key : List.of(ONE, TWO)) {
			send(client, new Command.KeyNotify(key));
			send(client, new Command.Set(key, ONE, Condition.ALWAYS, Duration.ofSeconds(1)));
			this.cluster.settle();
		}
		client.takeEvents();
		leader.server().startAfter(MachineFailureTests.LAST_BUT_ONE);
		this.cluster.pass(Duration.ofSeconds(2));
		this.cluster.commit();
		for (SimulatedNode node : this.cluster.nodes) {
			assertThatIllegalStateException().isThrownBy(node::applyAll);
			assertThat(node.errors).hasSize(1);
			assertThat(node.replica.failure()).isCompleted();
		}
		send(client, new Command.Get(ONE));
		assertThat(client.takeEvents()).isEmpty();
		leader.follow();
	}

	@Test
	void endsInsteadOfExceedingItsMemory() {
		RecordingConnection client = connect(this.cluster.start(0));
		SimulatedNode small = this.cluster.node(1);
		small.memory = 10_000;
		small.restart();
		send(client, set(ONE));
		this.cluster.commit();
		small.applyAll();
		send(client, set(Bytes.copyOf(new byte[10_000])));
		this.cluster.commit();
		assertThatIllegalStateException().isThrownBy(small::applyAll).withMessageContainingAll("10000", "-Xmx");
		this.cluster.node(2).applyAll();
	}

	@Test
	void refusesDirectory() {
		StateStoreServerOptions options = StateStoreServerOptions.defaults();
		assertThatIllegalArgumentException().isThrownBy(
				() -> new Replica(options.withStorage(StorageOptions.in(Path.of("store"))), Long.MAX_VALUE, (error) -> {
				}));
	}

	/** A connection that cannot send because memory is exhausted. */
	private record FailingConnection(OutOfMemoryError error) implements ClientConnection {

		@Override
		public String clientId() {
			return "client";
		}

		@Override
		public ClientShare memory() {
			return MemoryBudget.unlimited().open();
		}

		@Override
		public void send(OutgoingMessage message) {
			throw this.error;
		}

		@Override
		public void disconnect(int reasonCode, String reason) {
		}

	}

	/**
	 * On the next leader, a client repeats changes that were neither acknowledged nor
	 * refused.
	 */
	@Test
	void deposedLeaderDoesNotAnswerSessionChanges() {
		SimulatedNode leader = this.cluster.start(0);
		SessionLog log = Objects.requireNonNull(leader.server().sessionLog());
		List<String> outcomes = new ArrayList<>();
		SessionLog.Outcome outcome = new SessionLog.Outcome((applied) -> outcomes.add("applied"),
				() -> outcomes.add("rejected"));
		log.append(new Connect("before", "", false, 60, null, true), outcome);
		leader.follow();
		log.append(new Connect("after", "", false, 60, null, true), outcome);
		log.inOrder(() -> outcomes.add("in order"), 0);
		this.cluster.start(1);
		assertThat(outcomes).isEmpty();
	}

	@Test
	void nodeWithoutSessionEntriesRefusesAllEntries() {
		ByteBuffer expire = ReplicatedEntry
			.encode(List.of(LogEntryCodec.encode(new LogEntry.Expire(1, 1, null, List.of()))));
		assertThat(expire.get(0)).isEqualTo((byte) 2);
	}

}
