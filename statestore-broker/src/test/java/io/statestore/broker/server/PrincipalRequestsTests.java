package io.statestore.broker.server;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.engine.Quota;
import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Requests from clients that have logged in with different names. */
class PrincipalRequestsTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final Command NX = set(KEY, Condition.IF_ABSENT);

	private static final Reply OK = new Reply.Ok();

	@AutoClose
	private final RestartableStore store = new RestartableStore();

	@Test
	void otherPrincipalReceivesNoRememberedReply() {
		assertThat(send(connect("ada"), NX)).isEqualTo(OK);
		assertThat(send(connect("bob"), NX)).isEqualTo(Reply.Count.NOT_APPLIED);
		assertThat(send(connect(null), NX)).isEqualTo(Reply.Count.NOT_APPLIED);
		assertThat(send(connect("ada"), NX)).isEqualTo(OK);
		assertThat(this.store.server().statistics().repeatedRequests()).isEqualTo(1);
	}

	@Test
	void otherPrincipalReceivesNoRememberedReplyToWatch() {
		send(connect("ada"), new Command.KeyNotify(KEY));
		assertThat(send(connect("bob"), new Command.KeyNotifyStop(KEY))).isEqualTo(new Reply.Count(0));
		assertThat(send(connect("bob"), new Command.KeyNotify(KEY))).isEqualTo(OK);
		assertThat(this.store.server().statistics().repeatedRequests()).isZero();
	}

	@Test
	void remembersRepliesPerPrincipalAcrossRestarts() {
		this.store.minLogBytes = 1;
		assertThat(send(connect("ada"), NX)).isEqualTo(OK);
		this.store.kill();
		assertThat(send(connect("bob"), NX)).isEqualTo(Reply.Count.NOT_APPLIED);
		this.store.restart();
		send(connect("ada"), new Command.Del(KEY), "del");
		this.store.restart();
		assertThat(send(connect("ada"), NX)).isEqualTo(OK);
		assertThat(send(connect("bob"), NX)).isEqualTo(Reply.Count.NOT_APPLIED);
		assertThat(send(connect("ada"), new Command.Get(KEY), "get")).isEqualTo(new Reply.Missing());
	}

	@Test
	void countsRefusedKeysPerPrincipal() {
		try (StateStoreServer server = new StateStoreServer(
				StateStoreServerOptions.defaults().withQuota(new Quota(3, 1_000, 1)))) {
			RecordingConnection ada = RecordingConnection.to(server, "client", "ada");
			RecordingConnection bob = RecordingConnection.to(server, "client", "bob");
			assertThat(ada.call(set(Bytes.of("a"), Condition.ALWAYS)).reply()).isEqualTo(OK);
			Reply refused = new Reply.Error(ErrorReason.QUOTA_EXCEEDED);
			assertThat(ada.call(set(Bytes.of("b"), Condition.ALWAYS)).reply()).isEqualTo(refused);
			assertThat(bob.call(set(Bytes.of("b"), Condition.ALWAYS)).reply()).isEqualTo(OK);
			RecordingConnection anonymous = RecordingConnection.to(server, "client");
			anonymous.call(set(Bytes.of("c"), Condition.ALWAYS));
			assertThat(anonymous.call(set(Bytes.of("d"), Condition.ALWAYS)).reply()).isEqualTo(refused);
			assertThat(server.refusedKeysOfPrincipals()).isEqualTo(1);
			assertThat(server.statistics().refusedRequests()).isEqualTo(2);
		}
	}

	@Test
	void scanDoesNotOccupyCallersThread() throws Exception {
		RecordingConnection client = connect("ada");
		CompletableFuture<Thread> scanned = new CompletableFuture<>();
		IncomingRequest scan = client.draft(new Command.Scan(Bytes.of("*"), null)).toRequest();
		this.store.server()
			.request(new IncomingRequest(client, 1, scan.responseTopic(), scan.correlationData(), null,
					scan.userProperties(), scan.payload(), (reason) -> scanned.complete(Thread.currentThread())));
		assertThat(scanned.get(10, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
	}

	private RecordingConnection connect(@Nullable String principal) {
		return (principal != null) ? RecordingConnection.to(this.store.server(), "client", principal)
				: this.store.connect("client");
	}

	private static Command.Set set(Bytes key, Condition condition) {
		return new Command.Set(key, Bytes.of("v"), condition,
				(condition == Condition.IF_ABSENT) ? Duration.ofHours(1) : null);
	}

	private static Reply send(RecordingConnection connection, Command command) {
		return send(connection, command, "same");
	}

	private static Reply send(RecordingConnection connection, Command command, String correlation) {
		Draft draft = connection.draft(command).correlation(correlation);
		return RecordingConnection.received(connection.exchange(draft)).reply();
	}

}
