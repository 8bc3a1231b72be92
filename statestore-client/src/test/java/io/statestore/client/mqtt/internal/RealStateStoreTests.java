package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.FencingToken;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Notifications;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Topics;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The client and the server of the same protocol, over a real socket. */
@Timeout(60)
class RealStateStoreTests {

	private static final Bytes KEY = Bytes.of("key");

	private StateStoreBroker broker = StateStoreBroker.builder().start();

	private final MqttConnection connection = new MqttConnection(ConnectionOptions.builder()
		.host("127.0.0.1")
		.port(this.broker.port())
		.clientId("app")
		.reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(200))
		.build());

	private final Calls calls = new Calls(this.connection);

	@AfterEach
	void close() {
		this.connection.close();
		this.broker.close();
	}

	private Response call(Command command) throws Exception {
		return call(command, null);
	}

	private Response call(Command command, @Nullable FencingToken token) throws Exception {
		return this.calls.invoke(command, new Options(token, false, null)).get(10, TimeUnit.SECONDS);
	}

	private static Command.Set set(String value, Condition condition) {
		return new Command.Set(KEY, Bytes.of(value), condition, null);
	}

	@Test
	void returnsReplyAndVersionOfEveryCommand() throws Exception {
		this.connection.start();
		assertThat(call(new Command.Get(KEY))).isEqualTo(new Response(new Reply.Missing(), null));
		Response set = call(set("a", Condition.ALWAYS));
		assertThat(set.reply()).isEqualTo(new Reply.Ok());
		Version version = set.version();
		assertThat(version).isNotNull();
		assertThat(call(new Command.Get(KEY))).isEqualTo(new Response(new Reply.Value(Bytes.of("a")), version));
		assertThat(call(set("b", Condition.IF_ABSENT))).isEqualTo(new Response(Reply.Count.NOT_APPLIED, version));
		assertThat(call(new Command.VDel(KEY, Bytes.of("b"))).reply()).isEqualTo(Reply.Count.NOT_APPLIED);
		assertThat(call(new Command.Scan(Bytes.of("*"), null)).reply()).isEqualTo(new Reply.Page(List.of(KEY), null));
		Response deleted = call(new Command.Del(KEY));
		assertThat(deleted.reply()).isEqualTo(new Reply.Count(1));
		assertThat(deleted.version()).isGreaterThan(version);
	}

	@Test
	void refusesStaleToken() throws Exception {
		this.connection.start();
		Version first = call(set("a", Condition.ALWAYS)).version();
		Version second = call(set("b", Condition.ALWAYS)).version();
		assertThat(first).isNotNull();
		assertThat(second).isNotNull();
		call(set("c", Condition.ALWAYS), new FencingToken(second));
		Throwable failure = this.calls
			.invoke(set("d", Condition.ALWAYS), new Options(new FencingToken(first), false, null))
			.handle((response, thrown) -> thrown)
			.get(10, TimeUnit.SECONDS);
		assertThat(failure).isInstanceOf(StateStoreRefusedException.class);
		assertThat(((StateStoreRefusedException) failure).reason()).isEqualTo(ErrorReason.FENCING_TOKEN_LOWER_VERSION);
	}

	@Test
	void deliversNotificationsOnce() throws Exception {
		List<String> topics = new ArrayList<>();
		AtomicInteger count = new AtomicInteger();
		this.connection.addSubscription(Topics.notificationFilter("app"), (message) -> {
			topics.add(message.topic() + ' ' + Notifications.decode(Bytes.wrap(message.payload())));
			count.incrementAndGet();
		});
		this.connection.start();
		call(new Command.KeyNotify(KEY));
		call(set("a", Condition.ALWAYS));
		call(new Command.Del(KEY));
		await("both notifications").until(() -> count.get() == 2);
		assertThat(topics).allMatch((topic) -> topic.startsWith(Topics.notification("app", KEY)));
	}

	@Test
	void transfersMegabyteBothWays() throws Exception {
		this.connection.start();
		byte[] value = new byte[1_000_000];
		value[999_999] = 7;
		call(new Command.Set(KEY, Bytes.wrap(value)));
		assertThat(call(new Command.Get(KEY)).reply()).isEqualTo(new Reply.Value(Bytes.wrap(value)));
	}

	@Test
	void continuesAfterRestartOfBroker() throws Exception {
		this.connection.start();
		AtomicBoolean stop = new AtomicBoolean();
		AtomicInteger answered = new AtomicInteger();
		AtomicInteger unknown = new AtomicInteger();
		List<Throwable> unexpected = new ArrayList<>();
		Thread caller = new Thread(() -> {
			for (int i = 0; !stop.get(); i++) {
				Command command = (i % 2 == 0) ? set("v" + i, Condition.ALWAYS) : new Command.Get(KEY);
				Throwable failure = this.calls.invoke(command, Options.DEFAULT)
					.handle((response, thrown) -> thrown)
					.join();
				if (failure == null) {
					answered.incrementAndGet();
				}
				else if (failure instanceof StateStoreOutcomeUnknownException && i % 2 == 0) {
					unknown.incrementAndGet();
				}
				else {
					unexpected.add(failure);
				}
			}
		});
		caller.start();
		for (int round = 0; round < 3; round++) {
			int before = answered.get();
			await("calls").until(() -> answered.get() > before + 50);
			this.broker.close();
			await("the loss").until(() -> !this.connection.isConnected());
			this.broker = StateStoreBroker.builder().port(this.broker.port()).start();
		}
		int before = answered.get();
		await("calls").until(() -> answered.get() > before + 50);
		stop.set(true);
		caller.join(10_000);
		assertThat(unexpected).isEmpty();
		// At most the one call that was on its way each time.
		assertThat(unknown.get()).isLessThanOrEqualTo(3);
		assertThat(this.calls.pending()).isZero();
	}

	@Test
	void answersManyCallsInFlight() throws Exception {
		this.connection.start();
		List<CompletableFuture<Response>> futures = new ArrayList<>();
		for (int i = 0; i < 2000; i++) {
			futures.add(this.calls.invoke(new Command.Set(Bytes.of("k" + i), Bytes.of("v" + i)), Options.DEFAULT));
		}
		CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
		assertThat(futures.stream().map((future) -> future.join().version())).doesNotHaveDuplicates();
	}

}
