package io.statestore.broker.gateway;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.conformance.Hlc;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.FaultProxy;
import io.statestore.test.Mosquitto;
import io.statestore.test.RawPublish;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

@Timeout(60)
@RequiresProgram("mosquitto")
@Isolated("looks at all threads")
class StateStoreGatewayTests {

	private Mosquitto mosquitto;

	@BeforeEach
	void startMosquitto() throws IOException {
		this.mosquitto = Mosquitto.start();
	}

	@AfterEach
	void stopMosquitto() throws IOException {
		if (this.mosquitto != null) {
			this.mosquitto.close();
		}
	}

	private StateStoreGatewayBuilder gateway() {
		return StateStoreGateway.builder().host("127.0.0.1").port(this.mosquitto.port());
	}

	private StoreClient client(String clientId) {
		return StoreClient.connect(this.mosquitto.port(), clientId);
	}

	private static void awaitServing(StateStoreGateway gateway) {
		await("a gateway that serves").until(gateway::isServing);
	}

	private static void awaitNotServing(StateStoreGateway gateway) {
		await("a gateway that noticed").until(() -> !gateway.isServing());
	}

	/**
	 * Waits for the last thread to end, which happens shortly after it reports its
	 * result.
	 */
	private static void awaitNoThread() {
		await("the end of the threads").until(() -> Thread.getAllStackTraces()
			.keySet()
			.stream()
			.noneMatch((thread) -> thread.getName().startsWith("statestore-gateway")));
	}

	@Test
	void restartedGatewayIsEmptyWithGreaterVersions() {
		try (StoreClient client = client("c")) {
			Hlc before;
			try (StateStoreGateway gateway = gateway().start()) {
				assertThat(gateway.isServing()).isTrue();
				before = Hlc.of(client.call("SET", "k", "v"));
			}
			try (StateStoreGateway gateway = gateway().start()) {
				assertThat(client.value("k")).isNull();
				assertThat(Hlc.of(client.call("SET", "k", "v"))).isGreaterThan(before);
				assertThat(gateway.isServing()).isTrue();
			}
		}
	}

	@Test
	void brokerQueuesRequestsUntilTheyExpire() throws InterruptedException {
		gateway().start().close();
		try (StoreClient client = client("c")) {
			RawPublish givenUp = client.request(Resp.command("SET", "k", "given up", "NX"));
			givenUp.messageExpiry = 1L;
			client.mqtt().send(givenUp);
			// A message expiry is measured in whole seconds of real time.
			TimeUnit.MILLISECONDS.sleep(1_100);
			RawPublish waiting = client.request(Resp.command("SET", "k", "waiting", "NX"));
			client.mqtt().send(waiting);

			try (StateStoreGateway gateway = gateway().start()) {
				assertThat(gateway.isServing()).isTrue();
				assertThat(Resp.text(client.reply(waiting))).isEqualTo("+OK⏎");
				assertThat(client.value("k")).isEqualTo("waiting");
				assertThat(client.repliesSoFar(givenUp)).isEmpty();
			}
		}
	}

	@Test
	void servesRestartedBroker() throws Exception {
		try (StateStoreGateway gateway = gateway().start()) {
			try (StoreClient client = client("c")) {
				client.call("SET", "k", "v");
			}
			this.mosquitto.stop();
			awaitNotServing(gateway);
			this.mosquitto.restart();
			awaitServing(gateway);
			try (StoreClient client = client("c")) {
				assertThat(client.value("k")).isEqualTo("v");
				client.watch("k");
				client.call("SET", "k", "w");
				assertThat(client.notifications("k")).hasSize(1);
			}
		}
	}

	@Tag("long")
	@Test
	void executesOnceWhenConnectionIsCut() throws Exception {
		try (FaultProxy proxy = new FaultProxy(this.mosquitto.port());
				StateStoreGateway gateway = gateway().port(proxy.port()).start();
				StoreClient client = client("c");
				StoreClient watcher = client("o")) {
			watcher.watch("counter");
			List<Hlc> versions = new ArrayList<>();
			for (int cut = 0; cut < 3; cut++) {
				List<RawPublish> requests = new ArrayList<>();
				for (int i = 0; i < 15; i++) {
					requests.add(client.request(Resp.command("SET", "once-" + cut + "-" + i, "v", "NX")));
					requests.add(client.request(Resp.command("SET", "counter", "v")));
				}
				for (int i = 0; i < requests.size(); i++) {
					if (i == 13) {
						proxy.cut();
					}
					client.mqtt().send(requests.get(i));
				}
				for (RawPublish request : requests) {
					RawPublish reply = client.reply(request);
					assertThat(Resp.text(reply)).isEqualTo("+OK⏎");
					if (Resp.text(request).contains("counter")) {
						versions.add(Hlc.of(reply));
					}
				}
				awaitServing(gateway);
			}
			watcher.fence();
			assertThat(versions).isSorted().doesNotHaveDuplicates().hasSize(45);
			assertThat(watcher.notifications("counter").stream().map(Hlc::of).distinct().toList()).isEqualTo(versions);
		}
	}

	@Test
	void keepsManyChangesInOrder() {
		try (StateStoreGateway gateway = gateway().start(); StoreClient client = client("c")) {
			assertThat(gateway.isServing()).isTrue();
			client.watch("k");
			List<Hlc> versions = new ArrayList<>();
			for (int burst = 0; burst < 20; burst++) {
				List<RawPublish> requests = new ArrayList<>();
				for (int i = 0; i < 50; i++) {
					requests.add(client.request(Resp.command("SET", "k", "v")));
				}
				requests.forEach(client.mqtt()::send);
				requests.forEach((request) -> versions.add(Hlc.of(client.reply(request))));
			}
			assertThat(client.notifications("k").stream().map(Hlc::of).toList()).isEqualTo(versions);
		}
	}

	@Test
	void refusesSecondGateway() {
		try (StateStoreGateway gateway = gateway().start(); StoreClient client = client("c")) {
			client.call("SET", "k", "v");
			assertThatIllegalStateException().isThrownBy(gateway()::start)
				.withMessageContaining("Another state store already serves mqtt://127.0.0.1:" + this.mosquitto.port());
			assertThatIllegalStateException().isThrownBy(gateway().clientId("of-another-name")::start);
			assertThat(gateway.isServing()).isTrue();
			assertThat(client.value("k")).isEqualTo("v");
		}
	}

	@Test
	void refusesBrokerWithStateStore() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			assertThatIllegalStateException()
				.isThrownBy(StateStoreGateway.builder().host("127.0.0.1").port(broker.port())::start)
				.withMessageContaining("Another state store already serves");
		}
	}

	@Test
	void stopsIfReplacedDuringOutage() throws Exception {
		try (FaultProxy proxy = new FaultProxy(this.mosquitto.port());
				StateStoreGateway gateway = gateway().port(proxy.port()).start()) {
			proxy.close();
			awaitNotServing(gateway);
			assertThat(gateway.stopped()).isNotDone();
			try (StateStoreGateway replacement = gateway().start();
					FaultProxy repaired = new FaultProxy(proxy.port(), this.mosquitto.port())) {
				assertThat(repaired.port()).isEqualTo(proxy.port());
				assertThat(gateway.stopped()).succeedsWithin(Duration.ofSeconds(20));
				assertThat(gateway.isServing()).isFalse();
				assertThat(replacement.isServing()).isTrue();
			}
		}
	}

	@Test
	void watchEndsWithoutSubscriber() {
		try (StateStoreGateway gateway = gateway().start(); StoreClient writer = client("w")) {
			assertThat(gateway.isServing()).isTrue();
			StoreClient gone = client("c");
			gone.watch("k");
			gone.close();
			writer.call("SET", "k", "nobody hears it");

			try (StoreClient returned = client("c")) {
				returned.mqtt().subscribe(returned.notificationFilter());
				writer.call("SET", "k", "v");
				assertThat(returned.notifications("k")).isEmpty();
				returned.watch("k");
				writer.call("SET", "k", "w");
				assertThat(returned.notifications("k")).hasSize(1);
			}
		}
	}

	@Test
	void endsWatchWithLeaseIfBrokerHidesAbsence() {
		StoreClient monitor = client("monitor");
		monitor.mqtt().subscribe("#");
		try (monitor;
				StateStoreGateway gateway = gateway().watchLease(Duration.ofSeconds(1)).start();
				StoreClient writer = client("w");
				StoreClient silent = client("c");
				StoreClient renewing = client("r")) {
			assertThat(gateway.isServing()).isTrue();
			silent.watch("k");
			renewing.watch("k");
			await("the end of one watch only").until(() -> {
				String value = UUID.randomUUID().toString();
				renewing.call("KEYNOTIFY", "k");
				writer.call("SET", "k", value);
				monitor.fence();
				return receives(monitor, renewing, value) && !receives(monitor, silent, value);
			});
		}
	}

	/** Asks another client, because a request from the client itself renews its watch. */
	private static boolean receives(StoreClient monitor, StoreClient client, String value) {
		String topic = client.notificationTopic("k");
		return !monitor.mqtt()
			.messages((message) -> message.topic.equals(topic) && message.text().contains(value))
			.isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a/+/b", "a/#", "", "$SYS/x", "$share/a/b", "deep" })
	void hostileResponseTopicDoesNotEndConnection(String topic) throws IOException {
		try (StateStoreGateway gateway = gateway().start(); StoreClient client = client("c")) {
			StoreClient hostile = client("h");
			for (String source : new String[] { "h", "" }) {
				RawPublish request = hostile.request(Resp.command("SET", "k", "v")).without("__srcId");
				request.with("__srcId", source);
				request.responseTopic = topic.equals("deep") ? "/".repeat(300) : topic;
				hostile.mqtt().send(request);
			}

			assertThat(client.value("k")).as("effect").isNull();
			assertThat(gateway.isServing()).isTrue();
			assertThat(this.mosquitto.log().split("as statestore-gateway \\(")).as("connects").hasSize(2);
		}
	}

	@Test
	void reportsUnavailableBroker() {
		this.mosquitto.stop();

		assertThatIllegalStateException().isThrownBy(gateway()::start)
			.withMessageContaining("No connection to mqtt://127.0.0.1:" + this.mosquitto.port())
			.withMessageContaining("refused");
	}

	@Test
	void reportsInvalidSettings() {
		assertThatIllegalArgumentException().isThrownBy(gateway().port(0)::start).withMessageContaining("'port'");
		assertThatIllegalArgumentException().isThrownBy(gateway().clientId("")::start)
			.withMessageContaining("'clientId'");
		assertThatIllegalArgumentException().isThrownBy(gateway().watchLease(Duration.ofMillis(999))::start)
			.withMessageContaining("'watchLease'");
	}

	@Test
	void closesQuicklyWithoutThreads() throws InterruptedException {
		StateStoreGateway gateway = gateway().start();
		long start = System.nanoTime();
		gateway.close();
		gateway.close();

		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
		assertThat(gateway.stopped()).isDone();
		awaitNoThread();
	}

	@Test
	void closesWithoutBroker() throws InterruptedException {
		try (StateStoreGateway gateway = gateway().start()) {
			this.mosquitto.stop();
			awaitNotServing(gateway);
		}
		awaitNoThread();
	}

}
