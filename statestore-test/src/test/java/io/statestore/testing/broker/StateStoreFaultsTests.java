package io.statestore.testing.broker;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.ErrorReason;
import io.statestore.testing.assertj.ChangeRecorder;
import io.statestore.testing.junit.StateStoreExtension;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class StateStoreFaultsTests {

	private static final Duration SHORT = Duration.ofMillis(150);

	@RegisterExtension
	static final StateStoreExtension extension = StateStoreExtension.builder().build();

	private static TestClient writer;

	private final StateStoreFaults faults = extension.faults();

	private final StateStoreTemplate store = extension.operations();

	@BeforeAll
	static void connect() {
		writer = extension.broker().connect("writer");
	}

	@AfterAll
	static void disconnect() {
		writer.close();
	}

	/** An earlier test may have ended the connection. */
	@BeforeEach
	void awaitConnection() {
		Awaitility.await().until(this.store::isConnected);
	}

	@Test
	void dropsNextReply() {
		InjectedFault fault = this.faults.replies().ofKey("press").next(1).drop();
		assertThatExceptionOfType(StateStoreOutcomeUnknownException.class)
			.isThrownBy(() -> this.store.withTimeout(SHORT).set("press", 1));
		assertThat(fault.hits()).isOne();
		assertThat(this.store).hasKey("press").hasValue(1);
	}

	@Test
	void dropsRequestsUntilClosed() {
		try (InjectedFault fault = this.faults.requests().ofKey("press").drop()) {
			assertThatExceptionOfType(StateStoreOutcomeUnknownException.class)
				.isThrownBy(() -> this.store.withTimeout(SHORT).set("press", 1));
			this.store.set("other", 1);
			assertThat(fault.hits()).isOne();
		}
		assertThat(this.store).doesNotHaveKey("press").hasKey("other");
	}

	@Test
	void cutsConnectionInPlaceOfReply() {
		this.faults.replies().ofClient("test").ofKey("press").next(1).cut();
		assertThatExceptionOfType(StateStoreOutcomeUnknownException.class).isThrownBy(() -> this.store.set("press", 1));
		assertThat(writer.operations()).hasKey("press").hasValue(1);
	}

	@Test
	void cutsConnectionInPlaceOfRequest() {
		this.faults.requests().ofKey("press").next(1).cut();
		assertThatExceptionOfType(StateStoreOutcomeUnknownException.class).isThrownBy(() -> this.store.set("press", 1));
		assertThat(writer.operations()).doesNotHaveKey("press");
	}

	@Test
	void refusesRequestWithReason() {
		this.faults.requests().ofKey("press").next(1).refuse(ErrorReason.QUOTA_EXCEEDED);
		assertThatExceptionOfType(StateStoreRefusedException.class).isThrownBy(() -> this.store.set("press", 1))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(ErrorReason.QUOTA_EXCEEDED));
		assertThat(this.store).doesNotHaveKey("press");
		this.store.set("press", 1);
	}

	@Test
	void refusingReplySuggestsRequests() {
		assertThatIllegalStateException().isThrownBy(() -> this.faults.replies().refuse(ErrorReason.QUOTA_EXCEEDED))
			.withMessageContaining("requests() instead of replies()");
	}

	@Test
	void delayedReplyDelaysLaterReplies() {
		this.faults.replies().ofKey("first").delay(SHORT.multipliedBy(2));
		CompletableFuture<?> first = this.store.async().set("first", 1);
		CompletableFuture<?> second = this.store.async().set("second", 2);
		Awaitility.await().until(() -> writer.operations().exists("second"));
		assertThat(first).isNotDone();
		assertThat(second).isNotDone();
		assertThat(second).succeedsWithin(Duration.ofSeconds(30));
		assertThat(first).isDone();
	}

	/** Uses a separate key, because ending its watch is also a request. */
	@Test
	void dropsNextNotificationOnly() {
		ChangeRecorder<Integer> changes = new ChangeRecorder<>();
		try (var watch = this.store.watch("watched", Integer.class, changes)) {
			assertThat(watch.isActive()).isTrue();
			this.faults.notifications().ofClient("test").next(1).drop();
			writer.operations().set("watched", 1);
			writer.operations().set("watched", 2);
			assertThat(changes).receives(2).hasNoFurtherChanges();
		}
	}

	/** Uses a separate key, because ending its watch is also a request. */
	@Test
	void cutConnectionResynchronizesWatcher() {
		ChangeRecorder<Integer> changes = new ChangeRecorder<>();
		try (var watch = this.store.watch("watched", Integer.class, changes)) {
			assertThat(watch.isActive()).isTrue();
			this.faults.refuseConnections();
			this.faults.cut("test");
			writer.operations().set("watched", 1);
			this.faults.acceptConnections();
			assertThat(changes).receivesChange((change) -> change.isSetTo(1).isResynchronized());
		}
	}

	@Test
	void cuttingUnknownClientNamesConnectedClients() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.faults.cut("absent"))
			.withMessageContaining("[test, writer]");
	}

	@Test
	void restartKeepsContentAndPort() {
		this.store.set("press", 1);
		int port = extension.broker().port();
		this.faults.restart();
		Awaitility.await().ignoreExceptions().until(() -> this.store.exists("press"));
		assertThat(extension.broker().port()).isEqualTo(port);
	}

	@Test
	void restartEmptyLosesContent() {
		this.store.set("press", 1);
		this.faults.restartEmpty();
		Awaitility.await().ignoreExceptions().until(() -> !this.store.exists("press"));
	}

	@Test
	void stoppedBrokerIsUnreachableUntilStarted() {
		this.faults.stopBroker();
		Awaitility.await().until(() -> !writer.connection().isConnected());
		assertThatExceptionOfType(StateStoreNotSentException.class)
			.isThrownBy(() -> writer.operations().withTimeout(SHORT).set("press", 1));
		this.faults.startBroker();
		Awaitility.await().until(() -> writer.connection().isConnected());
		writer.operations().set("press", 1);
	}

	@Test
	void clearEndsEveryFault() {
		this.faults.requests().drop();
		this.faults.refuseConnections();
		this.faults.stopBroker();
		this.faults.clear();
		Awaitility.await().ignoreExceptions().until(() -> !this.store.exists("press"));
		assertThat(this.store.set("press", 1).applied()).isTrue();
	}

}
