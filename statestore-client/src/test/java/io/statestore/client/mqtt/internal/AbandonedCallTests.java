package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Calls that have ended before their replies: the store still has to process them, so
 * they count as calls in flight.
 */
@Timeout(30)
class AbandonedCallTests {

	private static final int MAX_IN_FLIGHT = 2;

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final FakeBroker broker = new FakeBroker();

	private final AtomicLong clock = new AtomicLong();

	private final MqttConnection connection = new MqttConnection(
			this.broker.options().maxInFlight(MAX_IN_FLIGHT).build(), new ClientResources(this.clock::get));

	private final Calls calls = new Calls(this.connection, this.clock::get, System::currentTimeMillis);

	@BeforeEach
	void start() {
		this.broker.onRequest = (broker, request) -> request.ack(0);
		this.connection.start();
	}

	@AfterEach
	void close() {
		this.connection.close();
		this.broker.close();
	}

	private CompletableFuture<Response> call(String key, Duration timeout) {
		return this.calls.invoke(new Command.Del(Bytes.of(key)), new Options(null, false, timeout));
	}

	/** Returns calls in flight, as many as are allowed. */
	private List<CompletableFuture<Response>> inFlight() {
		return inFlight(TIMEOUT);
	}

	private List<CompletableFuture<Response>> inFlight(Duration timeout) {
		List<CompletableFuture<Response>> calls = new ArrayList<>();
		for (int i = 0; i < MAX_IN_FLIGHT; i++) {
			calls.add(call("first", timeout));
		}
		awaitRequests(MAX_IN_FLIGHT);
		return calls;
	}

	private void awaitRequests(int count) {
		await(count + " requests").until(() -> this.broker.requests.size() == count);
	}

	private List<FakeBroker.Request> requests() {
		return List.copyOf(this.broker.requests);
	}

	/** Asserts that nothing is sent before an urgent call. */
	private void assertNoRoom() {
		this.calls.invoke(new Command.Del(Bytes.of("urgent")), Options.DEFAULT.asUrgent());
		await("a request").until(() -> this.broker.requests.size() > MAX_IN_FLIGHT);
		assertThat(requests().get(MAX_IN_FLIGHT).text()).contains("urgent");
	}

	@Test
	void canceledCallKeepsItsPlaceUntilItsReply() {
		inFlight().forEach((call) -> call.cancel(false));
		assertThat(this.calls.pending()).isZero();
		call("second", TIMEOUT);
		assertNoRoom();
		requests().get(0).reply(":1\r\n");
		awaitRequests(MAX_IN_FLIGHT + 2);
		await("the count").until(() -> this.calls.unmatchedReplies() == 1);
	}

	@Test
	void canceledCallKeepsItsPlaceUntilAfterItsDeadline() {
		inFlight().forEach((call) -> call.cancel(false));
		call("second", TIMEOUT.multipliedBy(2));
		assertNoRoom();
		pass(TIMEOUT.plusSeconds(1));
		awaitRequests(MAX_IN_FLIGHT + 2);
	}

	@Test
	void canceledCallKeepsItsPlaceForAMinuteAtMost() {
		Duration timeout = Duration.ofHours(1);
		inFlight(timeout).forEach((call) -> call.cancel(false));
		call("second", timeout);
		assertNoRoom();
		pass(Duration.ofMinutes(1));
		awaitRequests(MAX_IN_FLIGHT + 2);
	}

	@Test
	void expiredCallKeepsItsPlaceForASecond() {
		List<CompletableFuture<Response>> calls = inFlight();
		call("second", TIMEOUT.multipliedBy(2));
		pass(TIMEOUT);
		await("the timeouts").until(() -> calls.stream().allMatch(CompletableFuture::isCompletedExceptionally));
		assertNoRoom();
		pass(Duration.ofSeconds(1));
		awaitRequests(MAX_IN_FLIGHT + 2);
	}

	@Test
	void refusalFreesPlaceOfCanceledCall() {
		this.broker.onRequest = (broker, request) -> {
		};
		inFlight().forEach((call) -> call.cancel(false));
		call("second", TIMEOUT);
		requests().get(0).ack(0x87);
		awaitRequests(MAX_IN_FLIGHT + 1);
	}

	@Test
	void lostConnectionFreesPlacesOfCanceledCalls() {
		inFlight().forEach((call) -> call.cancel(false));
		call("second", TIMEOUT);
		assertNoRoom();
		this.broker.drop();
		// The urgent call has failed, because it was sent.
		awaitRequests(MAX_IN_FLIGHT + 2);
		assertThat(requests().get(MAX_IN_FLIGHT + 1).text()).contains("second");
	}

	@Test
	void canceledCallThatWaitsIsNeverSent() {
		inFlight();
		call("second", TIMEOUT).cancel(false);
		assertNoRoom();
		requests().get(0).reply(":1\r\n");
		call("third", TIMEOUT);
		awaitRequests(MAX_IN_FLIGHT + 2);
		assertThat(requests().get(MAX_IN_FLIGHT + 1).text()).contains("third");
	}

	private void pass(Duration time) {
		this.clock.addAndGet(time.toNanos());
		this.calls.checkCalls();
	}

}
