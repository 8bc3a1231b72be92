package io.statestore.client.mqtt.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.mqtt.DisconnectedBehavior;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Calls before, during, and after an outage, and when the application stops. */
@Timeout(30)
class CallsOutageTests extends CallsFixture {

	@Test
	void writeInFlightFailsOnceAfterLoss() {
		hold();
		AtomicInteger completions = new AtomicInteger();
		CompletableFuture<Response> future = invoke(SET);
		future.whenComplete((response, failure) -> completions.incrementAndGet());
		awaitRequest();
		this.broker.drop();
		assertThat(failure(future, StateStoreOutcomeUnknownException.class)).hasMessageContaining("was lost")
			.hasMessageContaining("Read the key");
		await("a new connection").until(() -> this.broker.connects.size() == 2 && connection().isConnected());
		assertThat(invoke(GET)).isNotDone();
		await("the read").until(() -> this.broker.requests.size() == 2);
		assertThat(List.copyOf(this.broker.requests).get(1).text()).contains("GET");
		assertThat(completions.get()).isEqualTo(1);
	}

	@Test
	void sendsReadInFlightAgainAfterLoss() throws Exception {
		hold();
		CompletableFuture<Response> future = invoke(GET);
		awaitRequest();
		this.broker.onRequest = (broker, request) -> request.reply("$-1\r\n");
		this.broker.drop();
		assertThat(get(future).reply()).isEqualTo(new Reply.Missing());
		List<FakeBroker.Request> requests = List.copyOf(this.broker.requests);
		assertThat(requests).hasSize(2);
		assertThat(requests.get(0).correlationData()).isNotEqualTo(requests.get(1).correlationData());
	}

	@Test
	void callWaitsForNextConnection() throws Exception {
		assertThat(connection().isConnected()).isTrue();
		this.broker.stop();
		await("the loss").until(() -> !connection().isConnected());
		CompletableFuture<Response> future = invoke(SET);
		this.broker.restart();
		assertThat(get(future).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void failsAsUnsentAtDeadlineWithoutConnection() {
		assertThat(connection().isConnected()).isTrue();
		this.broker.stop();
		await("the loss").until(() -> !connection().isConnected());
		CompletableFuture<Response> future = calls().invoke(SET, new Options(null, false, Duration.ofMillis(300)));
		assertThat(failure(future, StateStoreNotSentException.class)).hasMessageContaining("not sent within 0.3 s")
			.hasMessageContaining("No connection to mqtt://127.0.0.1:" + this.broker.port())
			.hasMessageContaining("statestore.host");
	}

	@Test
	void stopFailsPendingCallsByTheirState() {
		this.broker.connAck(MqttProperties.RECEIVE_MAXIMUM, 1);
		start(this.broker.options().build());
		hold();
		CompletableFuture<Response> sent = invoke(SET);
		CompletableFuture<Response> waiting = invoke(SET);
		awaitRequest();
		connection().stop();
		failure(sent, StateStoreOutcomeUnknownException.class);
		assertThat(failure(waiting, StateStoreNotSentException.class)).hasMessageContaining("is stopped");
		connection().close();
		assertThat(failure(invoke(SET), StateStoreNotSentException.class)).hasMessageContaining("is closed");
	}

	@Test
	void callSentDuringStopIsNotReportedAsUnsent() throws Exception {
		this.broker.connAck(MqttProperties.RECEIVE_MAXIMUM, 4);
		start(this.broker.options().build());
		for (int round = 0; round < 5; round++) {
			this.broker.requests.clear();
			connection().start();
			Map<String, CompletableFuture<Response>> calls = new LinkedHashMap<>();
			for (int i = 0; i < 600; i++) {
				Command command = new Command.Del(Bytes.of("key " + round + ' ' + i + '.'));
				calls.put(new String(Commands.encode(command), StandardCharsets.UTF_8), invoke(command));
			}
			int sent = 20 + round * 100;
			await("requests").until(() -> this.broker.requests.size() > sent);
			connection().stop();
			Set<String> arrived = new HashSet<>();
			this.broker.requests.forEach((request) -> arrived.add(request.text()));
			calls.forEach((text, call) -> {
				Throwable failure = call.handle((response, thrown) -> thrown).orTimeout(10, TimeUnit.SECONDS).join();
				assertThat(failure instanceof StateStoreNotSentException && arrived.contains(text)).isFalse();
			});
		}
	}

	@Test
	void callConnectsAgainAfterStop() throws Exception {
		connection().stop();
		assertThat(get(invoke(SET)).reply()).isEqualTo(new Reply.Ok());
		assertThat(connection().isRunning()).isFalse();
	}

	@Test
	void urgentCallDoesNotConnectAgainAfterStop() {
		connection().stop();
		assertThat(failure(calls().invoke(SET, Options.DEFAULT.asUrgent()), StateStoreNotSentException.class))
			.hasMessageContaining("is stopped");
		assertThat(connection().isInUse()).isFalse();
	}

	@Test
	void watchDoesNotConnectAgainAfterStop() {
		connection().stop();
		failure(invoke(new Command.KeyNotify(Bytes.of("key"))), StateStoreNotSentException.class);
		assertThat(connection().isInUse()).isFalse();
	}

	@Test
	void failsCallAtOnceWhenDisconnected() {
		start(this.broker.options().disconnectedBehavior(DisconnectedBehavior.FAIL).build());
		hold();
		CompletableFuture<Response> sent = invoke(GET);
		awaitRequest();
		this.broker.stop();
		await("the loss").until(() -> !connection().isConnected());
		failure(sent, StateStoreOutcomeUnknownException.class);
		assertThat(failure(invoke(SET), StateStoreNotSentException.class)).hasMessageContaining("No connection to");
	}

	@Test
	void failsWaitingCallsWhenConnectionBreaks() {
		this.broker.connAck(MqttProperties.RECEIVE_MAXIMUM, 1);
		start(this.broker.options().disconnectedBehavior(DisconnectedBehavior.FAIL).build());
		hold();
		invoke(SET);
		CompletableFuture<Response> waiting = invoke(SET);
		awaitRequest();
		this.broker.stop();
		assertThat(failure(waiting, StateStoreNotSentException.class)).hasMessageContaining("No connection to");
	}

	@Test
	void urgentCallWaitsForConnection() throws Exception {
		start(this.broker.options().disconnectedBehavior(DisconnectedBehavior.FAIL).build());
		this.broker.stop();
		await("the loss").until(() -> !connection().isConnected());
		CompletableFuture<Response> urgent = calls().invoke(SET, Options.DEFAULT.asUrgent());
		failure(invoke(SET), StateStoreNotSentException.class);
		assertThat(urgent).isNotDone();
		this.broker.restart();
		assertThat(get(urgent).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void failsFirstCallOnlyAfterFirstAttempt() throws Exception {
		this.broker.stop();
		MqttConnection unstarted = new MqttConnection(
				this.broker.options().clientId("lazy").disconnectedBehavior(DisconnectedBehavior.FAIL).build());
		try {
			Calls lazy = new Calls(unstarted);
			assertThat(failure(lazy.invoke(SET, Options.DEFAULT), StateStoreNotSentException.class))
				.hasMessageContaining(ConnectionDiagnosis.NOT_LISTENING.cause());
			this.broker.restart();
			await("the connection").until(unstarted::isConnected);
			assertThat(get(lazy.invoke(SET, Options.DEFAULT)).reply()).isEqualTo(new Reply.Ok());
		}
		finally {
			unstarted.close();
		}
	}

	@Test
	void answersRequestsBeforeReconnecting() throws Exception {
		start(this.broker.options().build());
		Queue<FakeBroker.Request> held = new ConcurrentLinkedQueue<>();
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			held.add(request);
		};
		CompletableFuture<Response> sent = invoke(SET);
		await("the request").until(() -> held.size() == 1);
		connection().reconnect("test");
		CompletableFuture<Response> later = invoke(SET);
		await("both replies and the new connection").until(() -> {
			FakeBroker.Request request = held.poll();
			if (request != null) {
				request.reply("+OK\r\n");
			}
			return sent.isDone() && later.isDone() && this.broker.connects.size() == 2;
		});
		assertThat(get(sent).reply()).isEqualTo(new Reply.Ok());
		assertThat(get(later).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void firstCallConnects() throws Exception {
		MqttConnection unstarted = new MqttConnection(this.broker.options().clientId("lazy").build());
		try {
			assertThat(get(new Calls(unstarted).invoke(SET, Options.DEFAULT)).reply()).isEqualTo(new Reply.Ok());
			assertThat(unstarted.isRunning()).isFalse();
		}
		finally {
			unstarted.close();
		}
	}

	@Test
	void completesEveryCallAcrossLossesUnderLoad() throws Exception {
		List<CompletableFuture<Response>> futures = new ArrayList<>();
		for (int i = 0; i < 2000; i++) {
			futures.add(invoke((i % 2 == 0) ? SET : GET));
			if (i % 400 == 399) {
				this.broker.drop();
			}
		}
		for (CompletableFuture<Response> future : futures) {
			Throwable failure = future.handle((response, thrown) -> thrown).get(10, TimeUnit.SECONDS);
			if (failure != null) {
				assertThat(failure).isInstanceOf(StateStoreOutcomeUnknownException.class);
			}
		}
		assertThat(calls().pending()).isZero();
	}

}
